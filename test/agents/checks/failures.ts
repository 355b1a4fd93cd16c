/** A person learns within seconds that the model does not answer, and why; the turn reports it too. */
import { expect } from "chai";
import type { ConversationTurn } from "#shared/contracts/sessions/sessions.ts";
import { patience } from "../../support/machine/patience.ts";
import { eventually } from "../../support/eventually.ts";
import { say, type Step } from "../../support/model-server/script.ts";
import { type AgentCheck, seconds } from "../agent-check.ts";
import type { StagedSession } from "../staged-session.ts";

const toldMs = 15_000;
const overloaded: Step = () => ({ fault: { kind: "status", status: 529, message: "The stub is overloaded" } });

/** Resolves with the time that it took. @param reason The text that a person has to read. */
async function failsWith(session: StagedSession, steps: readonly Step[], reason: RegExp): Promise<string> {
	const since = performance.now();
	const message = await session.begins("DOWN", steps);
	await eventually(async () => isTold(await session.view()) || (await turnOf(session, message)), {
		withinMs: toldMs * patience(),
		what: "a person is told",
	});
	const taken = seconds(since);
	const { metadata, content } = await session.talk.answer(message);
	expect(String(metadata["error"]), content).to.match(reason);
	return taken;
}

function isTold({ activity_metadata }: { activity_metadata: Record<string, unknown> }): boolean {
	return activity_metadata["model_error"] !== undefined;
}

async function turnOf({ api, path }: StagedSession, message: string): Promise<ConversationTurn | undefined> {
	const { body } = await api.get<{ turns: ConversationTurn[] }>(`${path}/conversation`);
	return body.turns.find(({ metadata }) => metadata["in_reply_to"] === message);
}

export const failureChecks: readonly AgentCheck[] = [
	{
		row: "model overloaded (529): told after, calls",
		async run(stage) {
			const session = await stage.trusted();
			const before = stage.model.requests.length;
			const taken = await failsWith(session, [overloaded], /The stub is overloaded/);
			const calls = stage.model.requests.length - before;
			expect((await session.does("UP", [say("Here I am.")])).content).to.include("Here I am.");
			return `${taken}, ${calls}`;
		},
	},
	{
		row: "model not reached: told after",
		run: async (stage) => failsWith(await stage.failing("unreachable"), [], /cannot be reached/),
	},
	{
		row: "key refused (401): told after",
		run: async (stage) => failsWith(await stage.failing("refused"), [], /The key is wrong/),
	},
];
