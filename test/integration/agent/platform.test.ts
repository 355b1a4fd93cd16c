import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { eventually } from "../../support/eventually.ts";
import { freePort } from "../../support/free-port.ts";
import { TestSession } from "../../support/test-pod.ts";

interface Heard {
	path: string | undefined;
	authorization: string | undefined;
	state: string;
	metadata: Record<string, unknown>;
}

/** A platform that hears reports of activity and answers with `status`. */
class Listener implements AsyncDisposable {
	readonly heard: Heard[] = [];
	status = 204;
	readonly #server: Server;

	private constructor() {
		this.#server = createServer((request, response) => {
			let body = "";
			request.on("data", (chunk: Buffer) => {
				body += chunk.toString();
			});
			request.on("end", () => {
				this.heard.push({ path: request.url, authorization: request.headers.authorization, ...JSON.parse(body) });
				response.writeHead(this.status).end(this.status === 204 ? undefined : '{"detail":"no"}');
			});
		});
	}

	static async listen(port = 0): Promise<Listener> {
		const listener = new Listener();
		listener.#server.listen(port, "127.0.0.1");
		await once(listener.#server, "listening");
		return listener;
	}

	get url(): string {
		return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/api/v1/svc`;
	}

	get states(): string[] {
		return this.heard.map(({ state }) => state);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#server.close();
		this.#server.closeAllConnections();
		await once(this.#server, "close");
	}
}

describe("what the platform hears of a pod", () => {
	it("is its activity, when it changes", async () => {
		await using platform = await Listener.listen();
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		await eventually(() => platform.states.at(-1) === "idle");
		const connection = await pod.connect();
		await connection.send("m1", "$ sleep 0.4");
		await eventually(() => platform.states.includes("tool_executing"));
		await eventually(() => platform.states.at(-1) === "idle");
		const [first] = platform.heard;
		expect(first?.path).to.equal(`/api/v1/svc/sessions/${session.id}/activity`);
		expect(first?.authorization).to.equal(`Bearer ${pod.launch.pod_token}`);
		expect(platform.heard.at(-1)?.metadata)
			.to.have.keys("turn_count", "duration_seconds")
			.and.include({ turn_count: 1 });
		const { states } = platform;
		expect(states.filter((state, index) => state === states[index - 1])).to.deep.equal([]);
	});

	it("is the newest state only, when it comes back after a while; the pod works on meanwhile", async () => {
		await using session = new TestSession();
		const port = await freePort();
		const pod = await session.start({ platform_url: `http://127.0.0.1:${port}/api/v1/svc` });
		for (let turn = 1; turn <= 3; turn++) await pod.ask(`$ echo ${turn}`);
		await using platform = await Listener.listen(port);
		await eventually(() => platform.heard.length > 0, { withinMs: 8_000 });
		expect(platform.heard).to.have.length(1);
		expect(platform.heard[0]).to.deep.include({ state: "idle" });
		expect(platform.heard[0]?.metadata).to.include({ turn_count: 3 });
	});

	it("is asked for again after a failure of the platform, and not after a refusal, which is logged once", async () => {
		await using platform = await Listener.listen();
		platform.status = 503;
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		await eventually(() => platform.heard.length >= 2);
		platform.status = 403;
		const heard = platform.heard.length;
		await eventually(() => platform.heard.length > heard, { withinMs: 8_000 });
		await pod.ask("$ true");
		await pod.ask("$ true");
		const refusals = (await pod.logs()).filter((line) => line.includes("403"));
		expect(refusals).to.have.length(1);
	});

	it("tells the pod when it is not the session's pod any more, and the pod ends", async () => {
		await using platform = await Listener.listen();
		platform.status = 409;
		await using session = new TestSession();
		const pod = await session.start({ platform_url: platform.url });
		expect(await pod.ended()).to.equal(0);
	});
});
