/** The sentences with which `npm run demo` ends at platforms on a server; a stand-in answers as such a platform does. */
import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { type DemoRun, runDemo } from "../../support/platform/run-demo.ts";

const id = "11111111-1111-4111-8111-111111111111";
const failed = {
	id,
	status: "failed",
	status_reason: { code: "CLONE_FAILED", message: "Cannot clone: detected dubious ownership" },
};

async function demoAt(answer: RequestListener, ...args: string[]): Promise<DemoRun> {
	await using server = createServer(answer).listen(0, "127.0.0.1");
	await once(server, "listening");
	const { port } = server.address() as AddressInfo;
	const run = await runDemo({ url: `http://127.0.0.1:${port}` }, ...args);
	server.closeAllConnections();
	return run;
}

/** Answers as a platform whose user cannot clone the repository. */
const cannotClone: RequestListener = ({ method, url = "" }, response) => {
	if (url.endsWith("/sessions/stream")) {
		response.writeHead(200, { "content-type": "text/event-stream" });
		response.write(`event: session_updated\ndata: ${JSON.stringify(failed)}\n\n`);
	} else response.end(JSON.stringify(method === "GET" ? [] : { id }));
};

describe("npm run demo on a server", function () {
	this.timeout(60_000);

	it("says that it needs a token, and where one comes from", async () => {
		const { exitCode, output } = await demoAt((_request, response) => {
			response.writeHead(401).end(JSON.stringify({ detail: "Authentication required" }));
		});
		expect(exitCode, output).to.equal(1);
		expect(output).to.match(/401: Authentication required; .*ATELIER_TOKEN \(docs\/tokens\.md\)$/m);
	});

	it("says how to work on another repository when the platform cannot clone this checkout", async () => {
		const { exitCode, output } = await demoAt(cannotClone);
		expect(exitCode, output).to.equal(1);
		expect(output).to.match(/dubious ownership \(CLONE_FAILED\)\. To work on another .*: npm run demo -- <url/);
		expect((await demoAt(cannotClone, "https://git.invalid/a/b")).output).to.not.include("npm run demo --");
	});
});
