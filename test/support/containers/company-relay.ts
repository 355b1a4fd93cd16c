/** Run as `company-relay.ts SOCKET ADDRESS`: passes connections to port 443 of an address on to a Unix socket. */
import { connect, createServer } from "node:net";
import { join } from "./joined-sockets.ts";

const [socket = "", address = ""] = process.argv.slice(2);
createServer((client) => join(client, connect(socket))).listen(443, address, () => console.log("listens"));
