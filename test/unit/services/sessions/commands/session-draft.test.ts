import { expect } from "chai";
import { recordOf } from "#services/sessions/record/session-change.ts";
import { accountOf } from "#services/sessions/record/account.ts";
import { compileSchema } from "#shared/base/schema/validator.ts";
import { session as sessionFields } from "#shared/contracts/sessions/session-resource.ts";
import { launchSettings } from "../../../../support/pods/memory-pods.ts";
import { createdAt as at, sessionCreate, sessionDocument } from "../../../../support/platform/session-record.ts";

describe("newSession()", () => {
	it("is what the contract says a session is", () => {
		for (const status of ["starting", "created"] as const) {
			const { session } = recordOf(sessionDocument({ status }));
			expect(compileSchema(sessionFields)(structuredClone(session)), status).to.deep.equal([]);
			expect(session).to.include({ status, rev: 1, owner_id: "alice", tenant_id: "acme" });
		}
	});

	it("is due at once as its first launch, or not at all", () => {
		const starting = sessionDocument();
		expect(starting).to.include({ generation: 1, due_at: at, desired: "run", status: "starting" });
		const created = sessionDocument({ status: "created" });
		expect(created).to.include({ generation: 0, desired: "stop", status: "created" }).not.to.have.property("due_at");
	});

	it("shows clients the values of its columns", () => {
		const document = sessionDocument();
		const { session } = recordOf(document);
		const { rev, generation, created_at, status, owner, tenant } = document;
		const { owner_id, tenant_id } = session;
		expect(session).to.include({ rev, generation, created_at, status });
		expect({ owner_id, tenant_id }).to.deep.equal({ owner_id: owner, tenant_id: tenant });
	});

	it("has the model and agent of the launch, and not of the request", () => {
		const launch = { ...launchSettings, model: "of the template", agent: "opencode" };
		const { session } = recordOf(sessionDocument({ launch, request: sessionCreate({ model: "" }) }));
		expect(session).to.include({ model: "of the template", agent: "opencode" });
	});

	type Row = [
		what: string,
		budget: { limit: number | null } | null | undefined,
		usual: number | undefined,
		limit: number | null,
	];
	const limits: Row[] = [
		["none, without a request and a rule", undefined, undefined, null],
		["the installation's, when the request says nothing", undefined, 2, 2],
		["the installation's, when the request says null", null, 2, 2],
		["the request's", { limit: 5 }, 2, 5],
		["none, when the request wants none", { limit: null }, 2, null],
		["nothing at all", { limit: 0 }, 2, 0],
	];
	for (const [what, budget, sessionLimit, limit] of limits) {
		it(`has as its limit ${what}`, () => {
			const request = sessionCreate({ ...(budget !== undefined && { budget }) });
			const document = sessionDocument({ request, sessionLimit });
			expect(recordOf(document).session.budget).to.deep.equal({
				limit,
				spent: 0,
				reserved: 0,
				paused: false,
				reason: null,
			});
			expect(document.limit_micros).to.equal(limit === null ? undefined : limit * 1e6);
			expect(document.committed_micros, "the store compares nothing that is absent").to.equal(
				limit === null ? undefined : 0,
			);
			expect(accountOf(document)).to.deep.equal({ booked: 0, spent: 0, committed: 0, holds: [] });
		});
	}
});
