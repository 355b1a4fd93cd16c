/** Run as `company-relay.ts FOLDER`: passes connections to port 443 of each address on to the Unix socket that has its name. */
import { connect, createServer } from "node:net";
import { join as path } from "node:path";
import { join } from "./joined-sockets.ts";

const [folder = ""] = process.argv.slice(2);
createServer((client) => join(client, connect(path(folder, `${client.localAddress}.sock`)))).listen(
	443,
	"0.0.0.0",
	() => console.log("listens"),
);
