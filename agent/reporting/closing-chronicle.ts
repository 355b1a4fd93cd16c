/**
 * Writes the chronicle at the end of a pod. The question to the coding agent appears neither in the conversation nor
 * in activity, stream or timeline. The agent has a time limit.
 */
import { monotonic, sleep } from "#shared/base/clock.ts";
import type { ChronicleReport } from "#shared/contracts/sessions/chronicles.ts";
import type { AgentKeeper } from "../coding-agents/agent-keeper.ts";
import { chronicleQuestion, chronicleReport, readChronicle, type SaidChronicle } from "./chronicle-answer.ts";
import type { CodingAgent } from "../coding-agents/coding-agent.ts";
import type { Permissions } from "../coding-agents/permissions.ts";
import type { PlatformReports } from "./platform-reports.ts";
import type { SessionFacts, Timeline } from "../timeline/timeline.ts";

/** The time limit from the request to end the pod until the answer. */
const chronicleMs = 15_000;
/** The time limit of the last look at the workspace and its evaluation. */
const lookMs = 3_000;
const maxAnswer = 100_000;

export interface ClosingChronicleDependencies {
	/** The time of the request to end the pod, on the monotonic clock. */
	readonly since: number;
	/** The reason why the pod ends; undefined when it was asked to end. */
	readonly failure: string | undefined;
	readonly timeline: Timeline;
	readonly keeper: Pick<AgentKeeper, "agent" | "kill">;
	readonly isIdle: boolean;
	readonly reports: Pick<PlatformReports, "isWanted">;
	readonly permissions: Pick<Permissions, "close">;
}

/**
 * Ends the timeline and summarises the launch. Resolves with undefined when no turn has ended in the launch, or when
 * the session is deleted. An agent that was asked and has not answered is ended. It never rejects.
 */
export async function closingChronicle(
	dependencies: ClosingChronicleDependencies,
): Promise<ChronicleReport | undefined> {
	const { failure, timeline, permissions } = dependencies;
	permissions.close();
	await Promise.race([timeline.end(), sleep(lookMs)]);
	const report = await sumUp(dependencies);
	// The tokens include those of the question.
	timeline.stop(failure);
	return report;
}

async function sumUp(dependencies: ClosingChronicleDependencies): Promise<ChronicleReport | undefined> {
	const { since, timeline, keeper, isIdle, reports } = dependencies;
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

/** It never rejects, because an agent that cannot answer must not delay the end. */
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
