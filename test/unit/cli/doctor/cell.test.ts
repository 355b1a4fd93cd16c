import { expect } from "chai";
import { outcomeOf, probeOf, unknownId } from "../../../../cli/doctor/cell.ts";
import { administrators, people, reporters, those } from "../../../../cli/doctor/row.ts";

const id = "11111111-0000-4000-8000-000000000001";
const place = { prefix: "/api", person: "al/ice", isInUse: false };

describe("probeOf()", () => {
	it("fills the first parameter with the object, and the others as the row says", () => {
		const row = those("session", { path: { request_id: "7" }, query: { q: "a b" }, body: { x: 1 } });
		const probe = probeOf({ ...place, route: "POST /sessions/:session_id/permissions/:request_id", row }, id);
		const path = `/api/sessions/${id}/permissions/7?q=a+b`;
		expect(probe).to.deep.equal({ method: "POST", path, body: { x: 1 }, isHandshake: false });
	});

	it("names the person, and an object of the body", () => {
		const user = probeOf({ ...place, route: "GET /budgets/users/:user_id", row: administrators() }, unknownId);
		expect(user.path).to.equal("/api/budgets/users/al%2Fice");
		const row = reporters({ body: (session_id) => ({ session_id }) });
		expect(probeOf({ ...place, route: "POST /events", row }, id).body).to.deep.equal({ session_id: id });
	});

	it("leaves the prefix out of absolute paths, and is harmless on a platform in use", () => {
		const row = people({ body: { a: 1 }, harmless: { a: "no" }, reaches: "tenant" });
		expect(probeOf({ ...place, isInUse: true, route: "PUT //x", row }, id)).to.include({ path: "/x" });
		expect(probeOf({ ...place, isInUse: true, route: "PUT //x", row }, id).body).to.deep.equal({ a: "no" });
	});
});

describe("outcomeOf()", () => {
	const missing = { status: 404, text: `{"detail":"\\"${unknownId}\\" does not exist"}`, headers: "a: b" };
	const same = { ...missing, text: missing.text.replace(unknownId, id) };

	for (const [status, outcome] of [
		[200, "admitted"],
		[401, "unauthenticated"],
		[403, "forbidden"],
		[405, "failed"],
		[409, "admitted"],
		[422, "admitted"],
		[500, "failed"],
	] as const)
		it(`is ${outcome} for ${status}`, () => {
			expect(outcomeOf({ status, text: "", headers: "" }, id, undefined)).to.equal(outcome);
		});

	it("is unknown only when nothing tells the answer from that for an unknown id", () => {
		expect(outcomeOf(same, id, missing)).to.equal("unknown");
		expect(outcomeOf({ ...same, headers: "a: c" }, id, missing)).to.equal("admitted");
		expect(outcomeOf({ ...same, text: "It is not yours" }, id, missing)).to.equal("admitted");
	});

	it("is a failure when there is no such route", () => {
		expect(outcomeOf({ status: 404, text: "", headers: "x-error-code: UNKNOWN_PATH" }, id, undefined)).to.equal(
			"failed",
		);
	});
});
