/** Whether a process listens at a Unix socket: a living one must not be taken for one that was left. */
import { expect } from "chai";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { statSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { hasListener } from "#shared/net/sockets/unix-listener.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("hasListener", () => {
	const folder = useFolder();
	const path = () => join(folder(), "a.sock");

	it("knows a server, a missing socket, and a file that is none", async () => {
		expect(await hasListener(path())).to.equal(false);
		writeFileSync(join(folder(), "file"), "");
		expect(await hasListener(join(folder(), "file"))).to.equal(false);
		const server = createServer().listen(path());
		await once(server, "listening");
		expect(await hasListener(path())).to.equal(true);
		server.close();
		await once(server, "close");
		expect(await hasListener(path())).to.equal(false);
	});

	it("knows the socket of a process that was killed", async () => {
		const script = `require("net").createServer().listen(process.argv[1], () => console.log("listens"))`;
		const child = spawn(process.execPath, ["-e", script, path()], { stdio: ["ignore", "pipe", "inherit"] });
		await once(child.stdout, "data");
		expect(await hasListener(path())).to.equal(true);
		child.kill("SIGKILL");
		await once(child, "exit");
		expect(statSync(path()).isSocket()).to.equal(true);
		expect(await hasListener(path())).to.equal(false);
	});

	it("takes a server with too many waiting connections for a living one", async () => {
		await using server = createServer((client) => client.destroy()).listen({ path: path(), backlog: 1 });
		await once(server, "listening");
		// They connect at once, and the server accepts them after this turn only.
		const waiting = Array.from({ length: 8 }, () => connect(path()).on("error", () => {}));
		const found = await hasListener(path());
		for (const client of waiting) client.destroy();
		expect(found).to.equal(true);
	});

	it("says when it cannot tell", async () => {
		const tooLong = join(folder(), "n".repeat(200));
		const told = await hasListener(tooLong).catch((error: unknown) => String(error));
		expect(told).to.match(/Cannot tell whether a program listens .*EINVAL/);
	});
});
