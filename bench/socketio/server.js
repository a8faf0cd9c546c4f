// socket.io with its defaults: every message is acknowledged and sent to all clients; nothing is stored.
import { createServer } from "node:http";
import { Server } from "socket.io";

const http = createServer();
const io = new Server(http, { transports: ["websocket"], serveClient: false });

io.on("connection", (socket) => {
  socket.on("say", (message, answer) => {
    io.emit("m", message);
    answer({ status: 201 });
  });
  socket.on("say to myself", (message, answer) => {
    socket.emit("m", message);
    answer({ status: 201 });
  });
});

http.listen(Number(process.argv[2]), "127.0.0.1");
