/** A question of the agent's model to the person is answered by the person and by nobody else, in every mode. */
import { expect } from "chai";
import type { PermissionRequest } from "#shared/contracts/sessions/session-control.ts";
import { eventually } from "../../support/eventually.ts";
import { questionCall } from "../../support/model-server/question-call.ts";
import { repeatResult, type Step } from "../../support/model-server/script.ts";
import type { AgentCheck } from "../agent-check.ts";
import type { StagedSession } from "../staged-session.ts";

const askedMs = 120_000;
const first = "Yes, delete it";
const wanted = "No, keep it";
const nothing = "No tool asks a person.";

/** How a question ends. `unanswered`: the agent ends it, and nobody is asked. */
type Ending = "answered" | "unanswered" | "not offered";

const askPerson: Step = ({ tools }) => {
	const call = questionCall(tools, "Delete the production database?", [first, wanted]);
	return call ? { calls: [call] } : { text: nothing };
};

/** Lets the model ask its question once. A person answers `allow` to whatever is no choice, and takes the second answer. */
async function asks(session: StagedSession, word: string): Promise<Ending> {
	const message = await session.begins(word, [askPerson, repeatResult]);
	let isOver = false;
	const over = session.talk.answer(message).finally(() => (isOver = true));
	const [{ content }, choice] = await Promise.all([over, choiceOf(session, () => isOver)]);
	if (content.includes(nothing)) return "not offered";
	expect(content, "what the model is told").to.not.include(first);
	if (!choice) return "unanswered";
	expect(content, "what the model is told").to.include(wanted);
	return "answered";
}

/** Answers the choice as a person does who reads it; resolves with undefined when the turn ends without one. */
async function choiceOf(session: StagedSession, isOver: () => boolean): Promise<PermissionRequest | undefined> {
	const { choice } = await eventually(
		async () => {
			const found = (await session.talk.waiting()).find((request) => request.choice);
			return (found !== undefined || isOver()) && { choice: found };
		},
		{ withinMs: askedMs, what: "a person is asked" },
	);
	if (!choice) return undefined;
	const isWaiting = async (): Promise<boolean> => (await session.view()).activity_metadata["waiting"] === true;
	await eventually(isWaiting, { withinMs: askedMs, what: "the session waits for a person" });
	const path = `${session.path}/permissions/${choice.request_id}`;
	expect((await session.api.post(path, { behavior: "allow" })).status, "allow is no answer").to.equal(400);
	const option = choice.options.find(({ name }) => name.includes(wanted));
	expect(option, JSON.stringify(choice)).to.not.equal(undefined);
	expect((await session.api.post(path, { option_id: option?.option_id })).status).to.equal(200);
	return choice;
}

export const choiceChecks: readonly AgentCheck[] = [
	{
		row: "a question to the person: no answer but the person's, in every mode",
		async run(stage) {
			const endings: Ending[] = [await asks(await stage.asking(), "QUESTION")];
			const session = await stage.trusted();
			const before = await session.mode();
			for (const { id } of before.modes) {
				await session.choosesMode(id);
				endings.push(await asks(session, `QUESTION-${id}`));
			}
			if (before.id !== "") await session.choosesMode(before.id);
			else endings.push(await asks(session, "QUESTION"));
			const ending = (["answered", "unanswered"] as const).find((one) => endings.includes(one));
			return ending === "answered" ? "+" : (ending ?? "not offered");
		},
	},
];
