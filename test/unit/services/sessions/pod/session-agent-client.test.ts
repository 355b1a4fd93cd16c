import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { expect } from "chai";
import { SessionAgentClient } from "#services/sessions/pod/session-agent-client.ts";
import type { PodAddress } from "#services/sessions/pod/pod-address.ts";
import { BadRequestError, ConflictError, UpstreamError } from "#shared/errors.ts";
import { failureOf } from "../../../../support/failure-of.ts";

describe("SessionAgentClient", () => {
	const client = new SessionAgentClient();
	let server: Server | undefined;

	afterEach(async () => {
		server?.closeAllConnections();
		await server?.[Symbol.asyncDispose]();
		server = undefined;
	});

	/** A pod that answers every request alike. */
	async function podThat(answers: RequestListener): Promise<PodAddress> {
		const listening = createServer(answers);
		server = listening;
		await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
		const { port } = listening.address() as AddressInfo;
		return { sessionId: "s1", generation: 1, url: `http://127.0.0.1:${port}`, key: "k" };
	}

	function refusing(status: number): Promise<PodAddress> {
		return podThat((_request, response) => {
			response.writeHead(status, { "content-type": "application/json" });
			response.end(JSON.stringify({ detail: "Why not" }));
		});
	}

	const refusals = { 404: (detail: string) => new ConflictError(detail, "OF_THIS_CALL") };

	for (const [status, refusal, type] of [
		[400, BadRequestError, "BAD_REQUEST"],
		[404, UpstreamError, "POD_ANSWER"],
		[409, UpstreamError, "POD_ANSWER"],
		[500, UpstreamError, "POD_ANSWER"],
	] as const) {
		it(`takes ${status} for ${type} where the call says nothing else, whether it asks or commands`, async () => {
			const pod = await refusing(status);
			for (const asked of [client.get(pod, "/api/logs"), client.post(pod, "/api/interrupt", {})])
				expect(await failureOf(asked))
					.to.be.instanceOf(refusal)
					.with.property("type", type);
		});
	}

	it("translates a refusal as the call says", async () => {
		const pod = await refusing(404);
		for (const asked of [client.get(pod, "/", {}, { refusals }), client.post(pod, "/", {}, { refusals })]) {
			const failure = await failureOf(asked);
			expect(failure).to.be.instanceOf(ConflictError).and.to.include({ type: "OF_THIS_CALL", message: "Why not" });
		}
	});

	it("waits as long as the call says", async () => {
		const pod = await podThat(() => {});
		const began = performance.now();
		expect(await failureOf(client.get(pod, "/api/diff", {}, { timeoutMs: 100 })))
			.to.be.instanceOf(UpstreamError)
			.with.property("type", "POD_UNREACHABLE");
		expect(performance.now() - began).to.be.within(90, 3_000);
	});
});
