/**
 * The session agent, the program inside every session pod. It reads its launch document from standard input, or gets it at the door
 * that `--launch-from` names, at once or after a wait. Its exit code is 0 when it was asked to end or never needed, 1 when the pod has failed (its status
 * says why), 65 when the launch document is invalid, and 75 when the session has an agent already.
 */
import { dirname } from "node:path";
import { ignoreDebuggerSignal } from "#shared/base/debugger-signal.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import type { PreloadedAgent } from "./coding-agents/preloaded-agent.ts";
import { LaunchDocumentError, parseLaunchDocument, readLaunchText } from "./launch-document.ts";
import { fetchLaunch, launchSource } from "./fetched-launch.ts";
import { openWays } from "./io/socket-bridges.ts";
import { podContext } from "./io/pod-context.ts";
import { PodWorkspace } from "./workspace/pod-workspace.ts";
import { holdSession } from "./session-lock.ts";
import { becomeAgentOf, isWaiting, loadAhead, waitAt } from "./waiting.ts";

const exitCodes = { failed: 1, badDocument: 65, taken: 75 };

/** The launch of the pod, and what waited for it. */
interface Start {
	readonly launch: LaunchDocument;
	/** The coding agent that waited with this one. */
	readonly preloaded?: PreloadedAgent | undefined;
}

/** Resolves with undefined when a waiting agent is not needed. */
async function awaitStart(): Promise<Start | undefined> {
	const source = launchSource(process.argv);
	if (source !== undefined) {
		const preloaded = source.waitsAt === undefined ? undefined : await waitAt(source.waitsAt);
		return { launch: await fetchLaunch(source), preloaded };
	}
	const waits = isWaiting(process.argv);
	if (waits) await loadAhead();
	const text = await readLaunchText(process.stdin);
	if (waits && text === "") return undefined;
	const launch = parseLaunchDocument(text);
	if (waits) becomeAgentOf(launch);
	return { launch };
}

async function main(): Promise<number> {
	ignoreDebuggerSignal();
	const start = await awaitStart();
	if (!start) return 0;
	const { launch, preloaded } = start;
	await openWays(launch.door);
	if (!holdSession(launch.state) || !holdSession(dirname(launch.workspace))) {
		console.error(`Session "${launch.session_id}" has an agent already`);
		return exitCodes.taken;
	}
	// oxlint-disable-next-line no-restricted-properties  -- this is passed on by lists of allowed variables
	const context = podContext(launch, process.env);
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => context.ending.abort());
	const workspace = new PodWorkspace(context);
	workspace.begin();
	// The module is loaded while git works.
	const { SessionAgent } = await import("./session-agent.ts");
	const agent = new SessionAgent(context, workspace, preloaded);
	for (const event of ["uncaughtException", "unhandledRejection"] as const) {
		process.on(event, (error: unknown) => agent.fail(error));
	}
	return (await agent.run()) ? 0 : exitCodes.failed;
}

process.exit(
	await main().catch((error: unknown) => {
		if (!(error instanceof LaunchDocumentError)) throw error;
		console.error(error.message);
		return exitCodes.badDocument;
	}),
);
