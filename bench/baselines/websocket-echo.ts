/** A program with a WebSocket server that echoes every message. */
import type { AddressInfo } from "node:net";
import { WebSocketServer } from "ws";
import { report } from "../program.ts";

const server = new WebSocketServer({ host: "127.0.0.1", port: 0, perMessageDeflate: false });
server.on("connection", (socket) => socket.on("message", (data) => socket.send(data)));
server.on("listening", () => report({ port: (server.address() as AddressInfo).port }));
