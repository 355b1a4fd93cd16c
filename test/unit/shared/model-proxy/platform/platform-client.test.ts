import { expect } from "chai";
import { LogBuffer } from "#shared/wire/pod/log/log-buffer.ts";
import { type DeliveryOutcome, PlatformClient } from "#shared/model-proxy/platform/platform-client.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { eventually } from "../../../../support/eventually.ts";
import { heldConnections } from "../../../../support/clients/held-connections.ts";
import { PlatformListener } from "../../../../support/platform/platform-listener.ts";

describe("PlatformClient", () => {
	let platform: PlatformListener;
	let client: PlatformClient;
	let log: LogBuffer;
	let stale: number;

	beforeEach(async () => {
		platform = await PlatformListener.listen();
		log = new LogBuffer([]);
		stale = 0;
		// The launch has only the members that the client reads.
		const launch = { platform_url: platform.url, session_id: "s", pod_token: "t" } as LaunchDocument;
		client = new PlatformClient(launch, log, { onStale: () => stale++, onLost() {} });
	});

	afterEach(async () => {
		client.close();
		await platform[Symbol.asyncDispose]();
	});

	const outcomes: [status: number, outcome: DeliveryOutcome][] = [
		[204, "accepted"],
		[307, "unreachable"],
		[401, "forbidden"],
		[404, "forbidden"],
		[409, "stale"],
		[422, "rejected"],
		[429, "unreachable"],
		[500, "failed"],
		[503, "unreachable"],
	];
	for (const [status, outcome] of outcomes)
		it(`takes ${status} for "${outcome}"`, async () => {
			platform.status = status;
			expect(await client.post("history", { n: 1 })).to.equal(outcome);
			expect(stale).to.equal(outcome === "stale" ? 1 : 0);
			expect(platform.histories.map(({ path, authorization }) => [path, authorization])).to.deep.equal([
				["/api/v1/svc/sessions/s/history", "Bearer t"],
			]);
			expect(log.after(0)).to.have.length(outcome === "rejected" || outcome === "forbidden" ? 1 : 0);
		});

	it("rejects and leaves no connection when it is closed in the middle of a report", async () => {
		const port = Number(new URL(platform.url).port);
		await Promise.all([client.post("history", { n: 1 }), client.post("usage", {})]);
		expect(heldConnections(port), "of two, which are kept").to.equal(2);
		const silence = Promise.withResolvers<void>();
		platform.silence = silence.promise;
		const posting = client.post("history", { n: 2 });
		client.close();
		expect(await posting).to.equal("unreachable");
		await eventually(() => heldConnections(port) === 0, { withinMs: 2_000 });
		silence.resolve();
	});
});
