/** The sentences with which `npm run demo` ends at platforms on a server; a stand-in answers as such a platform does. */
import { createServer, type RequestListener } from "node:http";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { expect } from "chai";
import { projectRoot } from "#shared/base/project-root.ts";
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

/** Answers as a platform on which a model without tools answers each message. @param deleted Gets the deleted paths. */
function modelAnswers(deleted: string[]): RequestListener {
	const turns: { role: string; content: string; parts: unknown[] }[] = [];
	return ({ method, url = "" }, response) => {
		if (url.endsWith("/sessions/stream")) {
			response.writeHead(200, { "content-type": "text/event-stream" });
			for (const status of ["starting", "provisioning", "running"])
				response.write(`event: session_updated\ndata: ${JSON.stringify({ id, status })}\n\n`);
			return;
		}
		if (method === "DELETE") deleted.push(url);
		if (method === "POST" && url.endsWith("/messages"))
			turns.push({ role: "assistant", content: "Hello from a model", parts: [] });
		const isConversation = url.endsWith("/conversation");
		response.end(JSON.stringify(isConversation ? { turns, is_active: false } : method === "GET" ? [] : { id }));
	};
}

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
		expect(output).to.match(/dubious ownership \(CLONE_FAILED\)\. Sessions do not have .*: npm run demo -- <url/);
		expect((await demoAt(cannotClone, "https://git.invalid/a/b")).output).to.not.include("npm run demo --");
	});

	it("goes on with an empty workspace when the platform refuses this checkout at once", async () => {
		const sentence = "Sessions of this server have none of its folders";
		const asked: string[] = [];
		const refuse: RequestListener = (request, response) => {
			const isCreation = request.method === "POST" && request.url?.endsWith("/sessions") === true;
			if (!isCreation) return cannotClone(request, response);
			void text(request).then((body) => {
				asked.push(body);
				if (!body.includes("file://")) return cannotClone(request, response);
				response.writeHead(422).end(JSON.stringify({ detail: sentence }));
			});
		};
		const { output } = await demoAt(refuse);
		expect(output).to.include(`${sentence}. Sessions do not have`);
		expect(asked, output).to.have.length(2);
	});

	it("marks the step that failed, says that a model answered, and deletes its session", async () => {
		const deleted: string[] = [];
		const { exitCode, output } = await demoAt(modelAnswers(deleted));
		expect(exitCode, output).to.equal(1);
		expect(output).to.match(/✗ send a shell command and get its output/);
		expect(output).to.include("Hello from a model");
		expect(output).to.include("The demo failed: A model answered and did not run the command");
		expect(output).to.include("The demo ends here; what it made is deleted");
		expect(deleted.some((path) => path.endsWith(`/sessions/${id}`))).to.equal(true);
	});

	it("takes a folder of this machine as a repository", async () => {
		const repositories: unknown[] = [];
		await demoAt((request, response) => {
			const isCreation = request.method === "POST" && request.url?.endsWith("/sessions");
			if (!isCreation) return void response.end("[]");
			void text(request).then((body) => {
				repositories.push(JSON.parse(body).source.repo);
				response.writeHead(422).end(JSON.stringify({ detail: "no" }));
			});
		}, "test");
		expect(repositories).to.deep.equal([pathToFileURL(join(projectRoot, "test")).href]);
	});

	it("names the session that stays when it should be kept", async () => {
		const deleted: string[] = [];
		const { output } = await demoAt(modelAnswers(deleted), "--keep");
		expect(output).to.include(`The session stays: ${id}; DELETE http`);
		expect(deleted.filter((path) => path.includes("/sessions/"))).to.deep.equal([]);
	});
});
