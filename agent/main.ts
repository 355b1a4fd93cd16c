/**
 * The session agent: the program inside every session pod. It is told what to be on its standard input, at once or after
 * a wait, and ends with 0 when asked to end or never needed, 1 when the pod has failed (its status says why), 65 when it
 * was told nothing that makes sense, 75 when the session has an agent already.
 */
import { ignoreDebuggerSignal } from "#shared/debugger-signal.ts";
import { LaunchDocumentError, parseLaunchDocument, readLaunchText } from "./launch-document.ts";
import { podContext } from "./io/pod-context.ts";
import { PodWorkspace } from "./workspace/pod-workspace.ts";
import { holdSession } from "./session-lock.ts";
import { becomeAgentOf, isWaiting, loadAhead } from "./waiting.ts";

const exitCodes = { failed: 1, badDocument: 65, taken: 75 };

async function main(): Promise<number> {
	ignoreDebuggerSignal();
	const waits = isWaiting(process.argv);
	if (waits) await loadAhead();
	const text = await readLaunchText(process.stdin);
	if (waits && text === "") return 0;
	const launch = parseLaunchDocument(text);
	if (waits) becomeAgentOf(launch);
	if (!holdSession(launch.state)) {
		console.error(`Session "${launch.session_id}" has an agent already`);
		return exitCodes.taken;
	}
	// oxlint-disable-next-line no-restricted-properties -- from here it is handed on by lists of what is allowed
	const context = podContext(launch, process.env);
	for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => context.ending.abort());
	const workspace = new PodWorkspace(context);
	workspace.begin();
	// Loaded while git is at work.
	const { SessionAgent } = await import("./session-agent.ts");
	const agent = new SessionAgent(context, workspace);
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
