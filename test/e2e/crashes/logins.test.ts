/**
 * kill -9 in the middle of a login, of its end and of the replacement of its tokens: a connection is whole or not there,
 * and nothing that was acknowledged is lost.
 * Night: it kills and starts the platform seven times.
 */
import { expect } from "chai";
import type { ApiClient } from "../../support/clients/api-client.ts";
import { testCrashes } from "../../support/crash-rows.ts";
import { eventually } from "../../support/eventually.ts";
import { forge, OAuthForge } from "../../support/integrations/oauth-forge.ts";
import { startPlatform, type TestPlatform } from "../../support/platform/start-platform.ts";

const credential = `/credentials/${forge}-oauth-token`;
const callback = "/integrations/oauth/callback";
const disconnect = `/integrations/oauth/${forge}/disconnect`;
/** Longer than a grant is held, in milliseconds. */
const heldMs = 31_000;

describe("kill -9 in the middle of a login", function () {
	this.timeout(240_000);
	let opened: OAuthForge;
	let platform: TestPlatform;
	let api: ApiClient;
	/** How far the clock of the latest process is ahead. */
	let offsetMs = 0;
	/** The redirect of a login that was approved and is not finished. */
	let approved: Record<string, string> = {};
	/** The connection that was acknowledged before a kill. */
	let acknowledged: Awaited<ReturnType<typeof state>>;

	before(async () => {
		opened = await OAuthForge.open({ seconds: 4 });
		platform = await startPlatform({ config: opened.config });
		api = platform.client();
	});
	after(async () => {
		await platform?.[Symbol.asyncDispose]();
		await opened?.[Symbol.asyncDispose]();
	});

	const approve = async () => {
		approved = await opened.approved(api, "ada");
	};
	const state = async () => ({
		connections: (await api.get<{ id: string }[]>("/integrations")).body.map(({ id }) => id),
		credential: (await api.get<{ updated_at?: string }>(credential)).body.updated_at,
	});
	const nothing = { connections: [], credential: undefined };

	/** The next process finds what the dead one held when nobody holds it any more. */
	const laterAtEachStart = () => {
		offsetMs += heldMs;
		return { ATELIER_CLOCK_OFFSET_MS: String(offsetMs) };
	};

	/** Repeats a request until it gets no answer. */
	const unanswered = (request: () => Promise<unknown>) =>
		eventually(
			() =>
				request().then(
					() => false,
					() => true,
				),
			{
				withinMs: 60_000,
				everyMs: 200,
				what: "the platform dies of the request",
			},
		);

	testCrashes(
		() => platform,
		[
			{ change: "the begin of a login", point: "integrations.oauth-begun", send: approve },
			{
				change: "a login",
				point: "integrations.oauth-exchanged",
				given: approve,
				send: () => api.get(callback, { query: approved }),
				allows: async () => {
					expect(await state()).to.deep.equal(nothing);
					expect((await api.get(callback, { query: approved })).status, "its state was used").to.equal(400);
					await approve();
				},
			},
			{
				change: "the replacement of the token of a login that outlived a process",
				point: "integrations.oauth-refreshed",
				given: async () => {
					expect((await api.get(callback, { query: approved })).status).to.equal(200);
					acknowledged = await state();
					expect(acknowledged.connections).to.have.length(1);
				},
				// Each test uses the connection; the one that replaces its token gets no answer.
				send: () => unanswered(() => api.post(`/integrations/${acknowledged.connections[0]}/test`)),
				mayAnswer: true,
				shows: async () =>
					expect(await state(), "the answer with the new tokens is lost, the connection is not").to.deep.equal(
						acknowledged,
					),
			},
			{
				change: "the end of a connection",
				point: "integrations.oauth-revoked",
				send: () => unanswered(() => api.post(disconnect)),
				mayAnswer: true,
				allows: async () => {
					expect((await state()).connections, "not acknowledged").to.deep.equal(acknowledged.connections);
					const undone = await eventually(
						async () => {
							const { status } = await api.post(disconnect);
							return status === 503 ? undefined : status;
						},
						{ withinMs: 90_000, everyMs: 500, what: "nobody holds the grant any more" },
					);
					expect(undone).to.equal(204);
					expect(await state()).to.deep.equal(nothing);
					await opened.connect(api, "ada");
				},
			},
		],
		laterAtEachStart,
	);
});
