// The way to what simulates: a server that gave out this page (its token is in the address), or a worker of the page's own.
import { Ask, Message, Tell, readText } from "./protocol";

export type LinkState = "connecting" | "open" | "lost";

interface Pipe {
    send(data: Uint8Array<ArrayBuffer>): void;
}

export class Link {
    onmessage: (type: number, number: number, data: Uint8Array) => void = () => {};
    onstate: (state: LinkState) => void = () => {};
    state: LinkState = "connecting";
    private pipe: Pipe | null = null;
    private number = 0;
    private waiting = new Map<number, (answer: { good: boolean; text: string }) => void>();
    private delay = 250;

    start(): void {
        const token = new URLSearchParams(location.search).get("token");
        if (token) this.connect(token);
        else this.work();
    }

    private setState(state: LinkState): void {
        this.state = state;
        if (state === "lost") {
            this.pipe = null;
            for (const done of this.waiting.values()) done({ good: false, text: "the connection was lost" });
            this.waiting.clear();
        }
        this.onstate(state);
    }

    // Tries again for ever: a server that is started anew with the same token finds its viewers back.
    private connect(token: string): void {
        const socket = new WebSocket(`ws://${location.host}/stream?token=${encodeURIComponent(token)}`, "coulis.v1");
        socket.binaryType = "arraybuffer";
        socket.onopen = () => {
            this.delay = 250;
            this.pipe = { send: (data) => socket.send(data) };
            this.setState("open");
        };
        socket.onmessage = (event) => this.receive(new Uint8Array(event.data as ArrayBuffer));
        socket.onclose = () => {
            this.setState("lost");
            setTimeout(() => this.connect(token), this.delay);
            this.delay = Math.min(2 * this.delay, 4000);
        };
    }

    private work(): void {
        const worker = new Worker("./playground.js" + location.search);
        worker.onmessage = (event) => {
            if (event.data === "ready") {
                this.pipe = { send: (data) => worker.postMessage(data, [data.buffer]) };
                this.setState("open");
            } else {
                this.receive(new Uint8Array(event.data as ArrayBuffer));
            }
        };
        worker.onerror = () => this.setState("lost");
    }

    private receive(data: Uint8Array): void {
        const type = data[0],
            number = data[2] + 256 * data[3];
        if (type === Tell.Answer) {
            const done = this.waiting.get(number);
            this.waiting.delete(number);
            const answer = { good: data[4] !== 0, text: readText(data, 5) };
            if (done) done(answer);
            else if (!answer.good) this.onmessage(Tell.Answer, number, data);
            return;
        }
        this.onmessage(type, number, data);
    }

    send(message: Message): void {
        this.pipe?.send(message.done());
    }

    shown(): void {
        this.send(new Message(Ask.Shown));
    }

    /** Sends a command and waits for its answer. */
    ask(type: number, fill: (message: Message) => void = () => {}): Promise<{ good: boolean; text: string }> {
        this.number = (this.number % 60000) + 1;
        const message = new Message(type, this.number);
        fill(message);
        const number = this.number;
        return new Promise((resolve) => {
            if (!this.pipe) return resolve({ good: false, text: "not connected" });
            this.waiting.set(number, resolve);
            this.send(message);
        });
    }

    /** Sends a command that comes many times a second; only its failure is answered, to everyone's ears. */
    tell(type: number, fill: (message: Message) => void): void {
        const message = new Message(type, 0);
        fill(message);
        this.send(message);
    }
}
