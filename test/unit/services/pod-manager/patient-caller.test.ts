import { expect } from "chai";
import { patientCaller } from "#services/pod-manager/patient-caller.ts";
import { UnavailableError } from "#shared/base/errors.ts";
import { failureOf } from "../../../support/failure-of.ts";

describe("patientCaller()", () => {
	it("asks nobody while the action is not offered, and passes calls on as soon as it is", async () => {
		const asked: string[] = [];
		let served = false;
		const caller = patientCaller(
			{
				async call<R>(action: string): Promise<R> {
					asked.push(action);
					return undefined as R;
				},
			},
			() => served,
		);
		expect(await failureOf(caller.call("a.b", {}))).to.be.instanceOf(UnavailableError);
		expect(asked).to.deep.equal([]);
		served = true;
		await caller.call("a.b", {});
		expect(asked).to.deep.equal(["a.b"]);
	});
});
