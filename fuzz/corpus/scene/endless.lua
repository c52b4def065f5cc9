scene {}
while true do pcall(error) end
