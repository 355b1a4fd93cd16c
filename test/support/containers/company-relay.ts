/**
 * Run as `company-relay.ts FOLDER NAMESPACE`: passes connections to the ports 22 and 443 of each address on to the Unix socket in the folder that is
 * named after both. When its input ends, it removes the folder and the network namespace.
 */
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { linkStreams } from "#shared/net/linked-streams.ts";

const [folder = "", namespace = ""] = process.argv.slice(2);
for (const port of [22, 443]) {
	const server = createServer((client) =>
		linkStreams(client, connect(join(folder, `${client.localAddress}.${port}.sock`))),
	);
	server.listen(port, "0.0.0.0");
	await once(server, "listening");
}
console.log("listens");
process.stdin.resume().on("close", () => {
	execFileSync("ip", ["netns", "del", namespace]);
	rmSync(folder, { recursive: true, force: true });
	process.exit();
});
