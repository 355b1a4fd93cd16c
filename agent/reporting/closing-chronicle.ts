/**
 * The chronicle at the end of a pod. The coding agent is asked behind everybody's back: neither the conversation nor
 * activity, stream or timeline learn of the question. Whatever the agent does, it takes its time limit at most.
 */
import { monotonic, sleep } from "#shared/clock.ts";
import type { ChronicleReport } from "#shared/contracts/chronicles.ts";
import type { AgentKeeper } from "../coding-agents/agent-keeper.ts";
import { chronicleQuestion, chronicleReport, readChronicle, type SaidChronicle } from "./chronicle-answer.ts";
import type { CodingAgent } from "../coding-agents/coding-agent.ts";
import type { Permissions } from "../coding-agents/permissions.ts";
import type { PlatformReports } from "./platform-reports.ts";
import type { SessionFacts, Timeline } from "../timeline/timeline.ts";

/** From the moment the pod was asked to end until it needs no answer any more. */
const chronicleMs = 15_000;
/** How long the last look at the workspace may take, and what is worked out from it. */
const lookMs = 3_000;
const maxAnswer = 100_000;

export interface ClosingParts {
	/** When the pod was asked to end, on the monotonic clock. */
	readonly since: number;
	/** Why it ends, when it was not asked to. */
	readonly failure: string | undefined;
	readonly timeline: Timeline;
	readonly keeper: Pick<AgentKeeper, "agent" | "kill">;
	/** Whether the coding agent has no turn to answer. */
	readonly isIdle: boolean;
	readonly reports: Pick<PlatformReports, "isWanted">;
	readonly permissions: Pick<Permissions, "close">;
}

/**
 * Ends the timeline and sums up the launch; undefined when no turn has ended in it, and when the session is deleted.
 * An agent that was asked and has not answered is ended. Never rejects.
 */
export async function closingChronicle(parts: ClosingParts): Promise<ChronicleReport | undefined> {
	const { failure, timeline, permissions } = parts;
	permissions.close();
	await Promise.race([timeline.end(), sleep(lookMs)]);
	const report = await sumUp(parts);
	// With the tokens of the question.
	timeline.stop(failure);
	return report;
}

async function sumUp(parts: ClosingParts): Promise<ChronicleReport | undefined> {
	const { since, timeline, keeper, isIdle, reports } = parts;
	if (timeline.turns.turns === 0 || !(await reports.isWanted())) return undefined;
	const agent = isIdle && keeper.agent?.hasModel ? keeper.agent : undefined;
	const asked = agent ? ask(agent, since + chronicleMs - monotonic()) : "unasked";
	const [said, facts] = await Promise.all([asked, knownFacts(timeline)]);
	if (said === "silent") keeper.kill();
	return chronicleReport(typeof said === "string" ? undefined : said.answer, facts);
}

function knownFacts(timeline: Timeline): Promise<SessionFacts> {
	return Promise.race([timeline.facts(), sleep(lookMs).then(() => timeline.noFacts)]);
}

/** Never rejects: an agent that cannot say is not to hold anybody up. */
async function ask(agent: CodingAgent, leftMs: number): Promise<{ answer?: SaidChronicle | undefined } | "silent"> {
	let text = "";
	const asked = agent
		.prompt(chronicleQuestion, (update) => {
			if (update.type === "text" && text.length < maxAnswer) text += update.text;
		})
		.then(
			() => ({ answer: readChronicle(text) }),
			() => ({}),
		);
	const ended = agent.ended.then(() => ({}));
	return Promise.race([asked, ended, sleep(Math.max(leftMs, 0)).then(() => "silent" as const)]);
}
