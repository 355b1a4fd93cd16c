/**
 * Run as `company-relay.ts FOLDER NAMESPACE`: passes connections to port 443 of each address on to the Unix socket in the folder that has
 * its name. When its input ends, it removes the folder and the network namespace.
 */
import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { linkStreams } from "#shared/net/linked-streams.ts";

const [folder = "", namespace = ""] = process.argv.slice(2);
createServer((client) => linkStreams(client, connect(join(folder, `${client.localAddress}.sock`)))).listen(
	443,
	"0.0.0.0",
	() => console.log("listens"),
);
process.stdin.resume().on("close", () => {
	execFileSync("ip", ["netns", "del", namespace]);
	rmSync(folder, { recursive: true, force: true });
	process.exit();
});
