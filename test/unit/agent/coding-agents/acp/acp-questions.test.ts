import { expect } from "chai";
import { readPermission } from "#agent/coding-agents/acp/acp-permissions.ts";
import { askPerson } from "#agent/coding-agents/acp/acp-questions.ts";
import type { WantedPermission } from "#agent/coding-agents/permissions.ts";

const send = { optionId: "proceed_once", name: "Submit", kind: "allow_once" };
const cancel = { optionId: "cancel", name: "Cancel", kind: "reject_once" };
const colour = { question: "Which colour?", options: [{ label: "Red" }, { label: "Blue" }] };
const size = { question: "Which size?", options: [{ label: "Small" }, { label: "Large" }] };

/** A person who names the answers in order. */
function person(...names: string[]) {
	const asked: WantedPermission[] = [];
	const ask = (wanted: WantedPermission): Promise<string | undefined> => {
		asked.push(wanted);
		const name = names.shift();
		return Promise.resolve(wanted.options.find((option) => option.name === name)?.option_id);
	};
	return { ask, asked };
}

function answers(rawInput: object, options: object[], who: ReturnType<typeof person>) {
	const call = { title: "Ask user", rawInput };
	return askPerson(who, readPermission(call, options), call);
}

describe("askPerson()", () => {
	it("asks the questions of a form one after the other as choices, and returns the answers by their place", async () => {
		const who = person("Blue", "Small");
		const answer = await answers({ questions: [colour, size] }, [send, cancel], who);
		expect(answer).to.deep.equal({ optionId: "proceed_once", answers: { 0: "Blue", 1: "Small" } });
		expect(
			who.asked.map(({ title, choice, options }) => [title, choice, options.map(({ name }) => name)]),
		).to.deep.equal([
			["Which colour?", true, ["Red", "Blue", "Cancel"]],
			["Which size?", true, ["Small", "Large", "Cancel"]],
		]);
	});

	it("ends with the agent's own refusal when a question is declined, and sends no answer", async () => {
		const who = person("Blue", "Cancel");
		expect(await answers({ questions: [colour, size] }, [send, cancel], who)).to.deep.equal({ optionId: "cancel" });
		expect(await answers({ questions: [colour] }, [send, cancel], person("?"))).to.deep.equal({ optionId: undefined });
	});

	it("leaves the agent's options to choices of its own, to permissions, and to questions without answers", async () => {
		const red = { ...send, optionId: "red", name: "Red" };
		const cases: readonly [object, object[], string][] = [
			[{ questions: [colour] }, [red, send, cancel], "Red"],
			[{ command: "ls" }, [send, cancel], "Submit"],
			[{ questions: [colour, { question: "Why?" }] }, [send, cancel], "Submit"],
		];
		for (const [rawInput, options, name] of cases) {
			const who = person(name);
			const { optionId, answers: sent } = await answers(rawInput, options, who);
			expect([who.asked.length, sent]).to.deep.equal([1, undefined]);
			expect(optionId).to.equal(name === "Red" ? "red" : "proceed_once");
		}
	});
});
