import { expect } from "chai";
import { ModelTrouble } from "#agent/reporting/model-trouble.ts";

describe("ModelTrouble", () => {
	let changes = 0;
	let trouble: ModelTrouble;

	beforeEach(() => {
		changes = 0;
		trouble = new ModelTrouble();
		trouble.watch(() => void changes++);
		trouble.began();
	});

	function fail(sentence = "529"): void {
		trouble.watchCall().over(sentence);
	}

	it("counts the calls that failed since the last success, and reports each change", () => {
		fail();
		fail("503");
		expect(trouble.now).to.deep.equal({ sentence: "503", attempts: 2 });
		expect([trouble.failure, changes]).to.deep.equal([{ stopReason: "error", sentence: "503" }, 2]);
		trouble.watchCall().over();
		trouble.watchCall().over();
		expect([trouble.now, trouble.failure, changes]).to.deep.equal([undefined, undefined, 3]);
		fail();
		expect(trouble.now?.attempts).to.equal(1);
	});

	it("ends with the turn, and ignores calls that began in another one or in none", () => {
		const late = trouble.watchCall();
		fail();
		trouble.ended();
		expect([trouble.now, changes]).to.deep.equal([undefined, 2]);
		fail();
		trouble.began();
		late.over("too late");
		expect([trouble.now, trouble.failure, changes]).to.deep.equal([undefined, undefined, 2]);
	});

	it("ignores a failure while a later answer is still being read", () => {
		fail();
		const call = trouble.watchCall();
		call.answering();
		expect([trouble.failure, trouble.now?.attempts]).to.deep.equal([undefined, 1]);
		call.over("it broke off");
		expect([trouble.failure?.sentence, trouble.now?.attempts]).to.deep.equal(["it broke off", 2]);
	});

	it("tells a refusal by a budget apart from a failure: the session reports no trouble, and the turn is cut", () => {
		trouble.watchCall().refused("The budget is too small");
		expect([trouble.failure, trouble.now, changes]).to.deep.equal([
			{ stopReason: "budget", sentence: "The budget is too small" },
			undefined,
			0,
		]);
		trouble.watchCall().over();
		expect(trouble.failure, "a later call was made").to.equal(undefined);
		trouble.watchCall().refused("The budget is too small");
		fail();
		expect(trouble.failure?.stopReason).to.equal("error");
	});

	it("uses only the first report of a call's end, and ignores a caller that left", () => {
		fail();
		const call = trouble.watchCall();
		call.answering();
		call.left();
		call.over();
		expect(trouble.failure?.sentence).to.equal("529");
	});
});
