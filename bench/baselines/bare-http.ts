/** A program that shows the limit of HTTP in one process: node:http with the same JSON answer to every request. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { order, report } from "../program.ts";

const { body } = order<{ body: string }>();
const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(body) };
const server = createServer((_request, response) => response.writeHead(200, headers).end(body));
server.listen(0, "127.0.0.1", () => report({ port: (server.address() as AddressInfo).port }));
