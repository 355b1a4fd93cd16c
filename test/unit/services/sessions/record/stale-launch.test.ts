import { expect } from "chai";
import { refuseStale } from "#services/sessions/record/stale-launch.ts";
import { ConflictError } from "#shared/base/errors.ts";
import { alice } from "../../../../support/bus/test-brokers.ts";

const pod = (generation: number) => ({ kind: "pod", id: "x", generation, tenant: "", roles: [] }) as const;

describe("refuseStale()", () => {
	it("refuses the pods of all launches but the present one, and nobody else", () => {
		for (const generation of [1, 3]) {
			expect(() => refuseStale(pod(generation), 2))
				.to.throw(ConflictError, `Launch ${generation} is over, the present one is 2`)
				.with.property("type", "STALE_GENERATION");
		}
		refuseStale(pod(2), 2);
		refuseStale(alice, 2);
	});
});
