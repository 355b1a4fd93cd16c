/** Usage, budgets and models over the bus, with their access rules. */
import { expect } from "chai";
import { modelsService } from "#services/models/models.service.ts";
import { modelRefusal } from "#shared/wire/models/model-refusal.ts";
import type { Principal } from "#shared/base/principal.ts";
import { budgets } from "#shared/contracts/sessions/budgets.ts";
import { type Model, models } from "#shared/contracts/models.ts";
import { sessionWork } from "#shared/contracts/sessions/session-work.ts";
import { sessions } from "#shared/contracts/sessions/sessions.ts";
import { usage } from "#shared/contracts/sessions/usage.ts";
import { ForbiddenError, InvalidParametersError, NotFoundError } from "#shared/base/errors.ts";
import { type ModelCatalogue, readModelCatalogue } from "#shared/wire/models/model-catalogue.ts";
import { describeSessions } from "../../support/platform/describe-sessions.ts";
import { eventually } from "../../support/eventually.ts";
import { failureOf } from "../../support/failure-of.ts";
import { fromNoonOn } from "../../support/machine/from-noon-on.ts";
import { alice, bob, callAs, carol, job, root, startNodes } from "../../support/bus/test-brokers.ts";

const { mine, tenant, reset_tenant, user, limit_user, reset_user, correct_user, reserve, release } = budgets.actions;
const report = { tokens: 1_000, provider: "cloud", model: "claude-sonnet-4-6" } as const;
const nothing = { limit: null, spent: 0, reserved: 0, unreserved: 0, is_default: true };

function pod(id: string): Principal {
	return { kind: "pod", id, tenant: "", roles: [], generation: 1 };
}

describeSessions("budgets", (testbed) => {
	fromNoonOn();

	it("are limited by administrators, each in their own tenant", async () => {
		for (const call of [
			() => callAs(testbed.near, alice, tenant, { limit: 1 }),
			() => callAs(testbed.near, alice, reset_tenant, {}),
			() => callAs(testbed.near, alice, user, { user_id: "bob" }),
			() => callAs(testbed.near, alice, limit_user, { user_id: "bob", limit: 1 }),
			() => callAs(testbed.near, alice, reset_user, { user_id: "bob" }),
			() => callAs(testbed.near, alice, correct_user, { user_id: "alice", amount: -1, reason: "I want more" }),
		])
			expect(await failureOf(call())).to.be.instanceOf(ForbiddenError);
		expect(await callAs(testbed.near, root, limit_user, { user_id: "bob", limit: 2.5 })).to.deep.equal({
			...nothing,
			limit: 2.5,
			is_default: false,
		});
		await callAs(testbed.near, root, tenant, { limit: null });
		expect(await callAs(testbed.near, bob, mine, {})).to.deep.equal({
			user: { ...nothing, limit: 2.5, is_default: false },
			tenant: { ...nothing, is_default: false },
		});
		expect(await callAs(testbed.near, carol, user, { user_id: "bob" }), "another tenant").to.deep.equal(nothing);
		await callAs(testbed.near, root, reset_user, { user_id: "bob" });
		await callAs(testbed.near, root, reset_tenant, {});
		expect(await callAs(testbed.near, bob, mine, {})).to.deep.equal({ user: nothing, tenant: nothing });
		const wrong = callAs(testbed.near, root, tenant, { limit: -1 });
		expect(await failureOf(wrong)).to.be.instanceOf(InvalidParametersError);
	});

	it("are reserved by the session's own pod only", async () => {
		const { id: session_id } = await testbed.ada.running();
		const request = { session_id, reservation_id: "a", model: report.model };
		for (const principal of [testbed.ada.principal, root])
			expect(await failureOf(callAs(testbed.near, principal, reserve, request))).to.be.instanceOf(ForbiddenError);
		const { id: other } = await testbed.ada.running();
		expect(await failureOf(callAs(testbed.near, pod(other), reserve, request))).to.be.instanceOf(NotFoundError);
		expect(await callAs(testbed.near, pod(session_id), reserve, request)).to.include({ granted: true, limited: false });
		await callAs(testbed.near, pod(session_id), release, { session_id, reservation_id: "a" });
	});

	it("are a member of a session: set at its creation, changed and removed, and sent to its pod", async () => {
		const { id } = await testbed.ada.create({ budget: { limit: 0.5 } });
		const [claim] = await testbed.ada.claim(id);
		expect(claim?.launch).to.include({ budgeted: true });
		const update = (limit: number | null) =>
			callAs(testbed.near, testbed.ada.principal, sessions.actions.update, { session_id: id, budget: { limit } });
		expect((await update(1)).budget).to.include({ limit: 1 });
		expect((await update(null)).budget).to.include({ limit: null });
		const { id: plain } = await testbed.ada.create();
		const [free] = await callAs(testbed.near, job, sessionWork.actions.claim_due, { limit: 1, ids: [plain] });
		expect(free?.launch).to.include({ budgeted: false });
	});

	it("include the usage of an earlier launch, from its own pod and from the next one", async () => {
		const { id: session_id } = await testbed.ada.stopped();
		await testbed.ada.command("start", session_id);
		const late = [
			[pod(session_id), {}],
			[{ ...pod(session_id), generation: 2 }, { launch: 1 }],
		] as const;
		for (const [principal, more] of late)
			await callAs(testbed.near, principal, usage.actions.report, { session_id, ...report, ...more });
		expect(await testbed.ada.get(session_id)).to.include({ tokens_used: 2_000 });
	});

	it("are reduced by reports, which appear in the session and in all statistics", async () => {
		const { id: session_id } = await testbed.ada.running();
		const { cost } = await callAs(testbed.near, pod(session_id), usage.actions.report, { session_id, ...report });
		expect(cost).to.equal(0.003);
		const session = await testbed.ada.get(session_id);
		expect(session).to.include({ tokens_used: 1_000, message_count: 1 });
		expect(session.budget).to.include({ spent: 0.003 });
		const numbers = { active_sessions: 1, total_sessions: 1, tokens_today: 1_000, cost_today: 0.003 };
		// Events are relayed later, and sessions are counted by them.
		await eventually(async () =>
			expect(await callAs(testbed.near, testbed.ada.principal, usage.actions.stats, {})).to.include(numbers),
		);
		expect((await callAs(testbed.near, testbed.ada.principal, mine, {})).user).to.include({ spent: 0.003 });
		const told = await eventually(async () => {
			const found = (await testbed.ada.events(session_id)).filter(({ data }) => data.includes('"tokens_used":1000'));
			return found.length > 0 && found;
		});
		expect(told.map(({ type }) => type)).to.deep.equal(["session_updated"]);
	});
});

describe("models over the bus", () => {
	it("have prices, and are available where the platform holds their provider's key", async () => {
		const catalogue = readModelCatalogue("config/models.yaml");
		const keyOf = (name: string) => (name === "OPENAI_API_KEY" || name === "ANTHROPIC_API_KEY" ? "key" : "");
		const list = await listed(catalogue, keyOf);
		expect(list.map(({ id }) => id)).to.have.members(catalogue.models.map(({ id }) => id));
		expect(list.find(({ id }) => id === "claude-sonnet-4-6")).to.deep.include({
			provider: "cloud",
			cost_per_million_tokens: 3,
			prices: { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 },
			formats: ["anthropic"],
			available: true,
			unavailable_reason: null,
		});
		const local = {
			provider: "local",
			cost_per_million_tokens: null,
			prices: null,
			vram_required: "8GB",
			available: true,
		};
		expect(list.find(({ id }) => id === "llama3.2:latest")).to.deep.include(local);
		const without = await listed(catalogue, () => "");
		expect(without.find(({ id }) => id === "claude-sonnet-4-6")).to.include({
			available: false,
			unavailable_reason:
				'Model "claude-sonnet-4-6" cannot be used: ANTHROPIC_API_KEY is not set where the platform was started',
		});
		expect(new Set(without.filter(({ available }) => available).map(({ provider }) => provider))).to.deep.equal(
			new Set(["local"]),
		);
	});
});

async function listed(catalogue: ModelCatalogue, keyOf: (name: string) => string): Promise<Model[]> {
	const service = modelsService(catalogue, (model) => modelRefusal(catalogue, model, keyOf));
	const nodes = await startNodes(1, [service]);
	try {
		return (await callAs(nodes.near, alice, models.actions.list, {})).items;
	} finally {
		await nodes.stop();
	}
}
