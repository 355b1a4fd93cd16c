import { expect } from "chai";
import { refuseOthers, runningPod } from "#services/sessions/pod/commanded-pod.ts";
import { podAddress } from "#services/sessions/pod/pod-address.ts";
import type { Principal } from "#shared/base/principal.ts";
import { sessionStatuses } from "#shared/contracts/sessions/session-resource.ts";
import { ConflictError, ForbiddenError, NotFoundError } from "#shared/base/errors.ts";
import { InstallationKey } from "#shared/base/secrets/keys.ts";
import { sessionRecord } from "../../../../support/platform/session-record.ts";

const key = new InstallationKey(Buffer.alloc(32, 7));
const address = "http://127.0.0.1:40123";

describe("refuseOthers()", () => {
	it("lets only the owner of a session speak to its agent", () => {
		const record = sessionRecord({ members: { tenant_id: "acme", owner_id: "ada" } });
		const owner: Principal = { kind: "user", id: "ada", tenant: "acme", roles: [] };
		refuseOthers(owner, record);
		const others: Principal[] = [
			{ ...owner, id: "bob" },
			{ ...owner, id: "root", roles: ["admin"] },
			{ ...owner, tenant: "other" },
			{ ...owner, kind: "pod", id: record.session.id },
		];
		for (const other of others)
			expect(() => refuseOthers(other, record), other.id).to.throw(ForbiddenError, "Only the owner of a session");
	});
});

describe("runningPod()", () => {
	it("is the pod of a session that runs, and of no other", () => {
		for (const status of sessionStatuses) {
			const record = sessionRecord({ status, columns: { address } });
			if (status === "running") expect(runningPod(record, key)).to.deep.equal(podAddress(record, key));
			else
				expect(() => runningPod(record, key), status)
					.to.throw(ConflictError, `The session is ${status}, not running`)
					.with.property("type", "SESSION_NOT_RUNNING");
		}
	});

	it("says why a session does not run, and what brings it to run", () => {
		const { id } = sessionRecord({}).session;
		for (const [status, error, sentence] of [
			["failed", 'Cannot clone "x"', `failed, not running: Cannot clone "x"; start it with POST /sessions/${id}/start`],
			["failed", null, `failed, not running; start it with POST /sessions/${id}/start`],
			["stopped", null, `stopped, not running; start it with POST /sessions/${id}/start`],
			["archived", null, `archived, not running; restore it with POST /sessions/${id}/restore, then start it`],
			["provisioning", null, "provisioning, not running; wait until it is"],
			["stopping", null, "stopping, not running; wait until it is stopped, then start it"],
		] as const)
			expect(() => runningPod(sessionRecord({ status, members: { error } }), key)).to.throw(ConflictError, sentence);
	});

	it("is not found while a running session has no address", () => {
		expect(() => runningPod(sessionRecord({ status: "running" }), key)).to.throw(NotFoundError);
	});
});
