scene { title = "\27]0;x\7" }
print("\27[2J\155") for i = 1, 1e6 do print(("x"):rep(900)) end
