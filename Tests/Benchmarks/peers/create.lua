-- Sends the same create again and again: wrk -s create.lua URL -- BODY BOUNDARY IDENTIFIER
function init(arguments)
    local file = assert(io.open(arguments[1], "rb"))
    wrk.method = "POST"
    wrk.body = file:read("*a")
    wrk.headers["Content-Type"] = "multipart/form-data; boundary=" .. arguments[2]
    wrk.headers["identifier"] = arguments[3]
    file:close()
end
