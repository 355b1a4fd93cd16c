import { expect } from "chai";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { listen } from "#shared/net/sockets/listen.ts";
import { failureOf } from "../../../../support/failure-of.ts";
import { useFolder } from "../../../../support/use-folder.ts";

describe("listen", () => {
	const folder = useFolder();
	const path = () => join(folder(), "a.sock");

	it("keeps the process and the server when a connection cannot be accepted, and warns once a minute", async () => {
		const warnings: string[] = [];
		const note = ({ message }: Error) => void warnings.push(message);
		process.on("warning", note);
		try {
			await using server = createServer((client) => client.end());
			await listen(server, { path: path() });
			for (let count = 0; count < 3; count += 1) server.emit("error", new Error("accept ENFILE"));
			const client = connect(path()).resume();
			await once(client, "end");
			expect(warnings).to.deep.equal(["A connection was not accepted: accept ENFILE"]);
		} finally {
			process.off("warning", note);
		}
	});

	it("rejects when another server listens there", async () => {
		await using server = createServer();
		await listen(server, { path: path() });
		const refusal = await failureOf<NodeJS.ErrnoException>(listen(createServer(), { path: path() }));
		expect(refusal.code).to.equal("EADDRINUSE");
	});

	it("hears the errors of a server once that has tried several times", async () => {
		const first = createServer();
		await listen(first, { path: path() });
		await using server = createServer();
		for (let attempt = 0; attempt < 3; attempt++) await failureOf(listen(server, { path: path() }));
		first.close();
		await once(first, "close");
		await listen(server, { path: path() });
		expect(server.listenerCount("error")).to.equal(1);
	});
});
