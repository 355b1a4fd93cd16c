/**
 * kill -9 in the middle of a login, of its end and of the replacement of its tokens: a connection is whole or not there,
 * and nothing that was acknowledged is lost.
 * Long: it kills and starts the platform five times.
 */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { eventually } from "../../support/eventually.ts";
import { forge, OAuthForge } from "../../support/integrations/oauth-forge.ts";
import { type PlatformProcess, startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const credential = `/credentials/${forge}-oauth-token`;
const callback = "/integrations/oauth/callback";
/** Longer than a grant is held. */
const heldMs = 31_000;
const disconnect = `/integrations/oauth/${forge}/disconnect`;

describe("kill -9 in the middle of a login", function () {
	this.timeout(240_000);
	let opened: OAuthForge;
	let platform: TestPlatform;
	let api: ApiClient;
	/** How far the clocks of the platform's processes are ahead. */
	let offsetMs = 0;

	before(async () => {
		opened = await OAuthForge.open({ seconds: 10 });
		platform = await startPlatform({ config: opened.config });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await opened?.[Symbol.asyncDispose]();
	});

	const state = async () => ({
		connections: (await api.get<{ id: string }[]>("/integrations")).body.map(({ id }) => id),
		credential: (await api.get<{ updated_at?: string }>(credential)).body.updated_at,
	});

	/** Restarts the platform so that it dies at this point, and makes the request on which it does. */
	async function killedAt(failpoint: string, request: () => Promise<unknown>): Promise<void> {
		await platform.kill();
		const dying = await started({ ATELIER_FAILPOINTS: `integrations.${failpoint}=kill` });
		await request().catch(() => {});
		await eventually(() => dying.hasEnded, { withinMs: 60_000, what: `the platform has died at ${failpoint}` });
		// The next process finds what the dead one held when nobody holds it any more.
		offsetMs += heldMs;
		await started();
	}

	async function started(env: Record<string, string> = {}): Promise<PlatformProcess> {
		const one = platform.startProcess([], { ATELIER_CLOCK_OFFSET_MS: String(offsetMs), ...env });
		platform.processes = [one];
		await platform.ready();
		return one;
	}

	/** Repeats a request until it gets no answer: while the grant is held by the process that died, it is refused. */
	function unanswered(request: () => Promise<unknown>): Promise<boolean> {
		const isUnanswered = () =>
			request().then(
				() => false,
				() => true,
			);
		return eventually(isUnanswered, { withinMs: 60_000, everyMs: 500, what: "the platform dies of the request" });
	}

	it("leaves no half connection, and a login can be begun again", async () => {
		await killedAt("oauth-begun", () => opened.approved(api, "ada"));
		let used: Record<string, string> = {};
		await killedAt("oauth-exchanged", async () => {
			used = await opened.approved(api, "ada");
			await api.get(callback, { query: used });
		});
		expect(await state()).to.deep.equal({ connections: [], credential: undefined });
		expect((await api.get(callback, { query: used })).status, "its state was used").to.equal(400);
	});

	it("loses no connection that was acknowledged, and an undoing is finished by its repetition", async () => {
		const waiting = await opened.approved(api, "ada");
		await platform.kill();
		await started();
		expect((await api.get(callback, { query: waiting })).status, "a login outlives the process").to.equal(200);
		const before = await state();
		expect(before.connections).to.have.length(1);
		const [id = ""] = before.connections;

		// Each test uses the connection; the one that replaces its token gets no answer.
		await killedAt("oauth-refreshed", () => unanswered(() => api.post(`/integrations/${id}/test`)));
		expect(await state(), "the answer with the new tokens is lost, the connection is not").to.deep.equal(before);

		await killedAt("oauth-revoked", () => unanswered(() => api.post(disconnect)));
		expect((await state()).connections, "not acknowledged").to.deep.equal([id]);
		const undone = await eventually(
			async () => {
				const { status } = await api.post(disconnect);
				return status === 503 ? undefined : status;
			},
			{ withinMs: 90_000, everyMs: 500, what: "nobody holds the grant any more" },
		);
		expect(undone).to.equal(204);
		expect(await state()).to.deep.equal({ connections: [], credential: undefined });
		await opened.connect(api, "ada");
	});
});
