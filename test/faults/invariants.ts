/**
 * The conditions that must hold after a fault run, each as a function from the observations to sentences on what is
 * wrong.
 */
import type { MachineState } from "../support/machine/machine-state.ts";
import type { SessionProcess } from "../support/platform/session-processes.ts";
import type { SessionView } from "../support/platform/session-steps.ts";
import { patience } from "../support/machine/patience.ts";
import { passingStatuses } from "./watches/passing-watch.ts";
import type { SessionDriver } from "./session-driver.ts";

export interface World {
	readonly drivers: readonly SessionDriver[];
	/** The sessions that the API lists, archived ones too. */
	readonly sessions: ReadonlyMap<string, SessionView & { rev: number }>;
	/** The launches whose agent was killed: their sessions may be failed. */
	readonly killedAgents: ReadonlySet<string>;
	readonly processes: readonly SessionProcess[];
	readonly machine: MachineState;
	/** The last state of each session on the stream. */
	readonly told: ReadonlyMap<string, { rev: number; status: string }>;
	/** The conversations of running sessions, in the form that was sent. */
	readonly conversations: ReadonlyMap<string, string>;
	/** The secrets that others could read: in output, arguments, answers or events. */
	readonly exposed: readonly string[];
	/** The sessions that stayed too long in a passing status during the run. */
	readonly stuck: readonly string[];
	/** The faults in the books. */
	readonly booksWrong: readonly string[];
	/** The settings that are not stored as they were acknowledged. */
	readonly settingsWrong: readonly string[];
	/** Observations of the clients that archive all stopped sessions or save prompts, which no client may ever make. */
	readonly archiverWrong: readonly string[];
	readonly streamWrong: readonly string[];
	readonly twins: readonly string[];
	/** The starts that were too slow, as sentences. */
	readonly slowStarts: readonly string[];
}

const answerMs = 12_000;

/** Returns an empty list when every session has the state that its last acknowledged command asks for. */
export function unsettled(world: Pick<World, "drivers" | "sessions" | "killedAgents">): string[] {
	return world.drivers.flatMap((driver) => {
		const { id, wanted, name } = driver;
		const session = world.sessions.get(id);
		if (id === "" || isWanted(driver, session?.status ?? "deleted")) return [];
		if (session && wanted === "running" && mayHaveFailed(driver, session, world.killedAgents)) return [];
		const seen = session ? `${session.status}, ${session.status_reason?.code}` : "not there";
		return [`${name} ${id} should be ${wanted} and is ${seen}`];
	});
}

function isWanted({ wanted, mayBeArchived }: SessionDriver, status: string): boolean {
	return status === wanted || (mayBeArchived && status === "archived");
}

/** Whether the session's agent was killed, or its git server does not work. */
function mayHaveFailed({ repo }: SessionDriver, session: SessionView, killedAgents: ReadonlySet<string>): boolean {
	if (session.status !== "failed") return false;
	if (killedAgents.has(`${session.id}-g${session.generation}`)) return true;
	return repo !== "" && session.status_reason?.code === "CLONE_FAILED";
}

function strays({ sessions, processes, machine }: World): string[] {
	const runs = (id: string) => sessions.get(id)?.status === "running";
	const orphans = processes.filter(({ session }) => !runs(session));
	const folders = machine.files.filter((path) => /^(run|sessions)\/[^/.]/.test(path) && path.split("/").length === 2);
	const unowned = folders.filter((path) => !sessions.has(path.split("/")[1]?.slice(0, 36) ?? ""));
	return [
		...orphans.map(({ pid, session }) => `process ${pid} of session ${session} that does not run`),
		...unowned.map(
			(path) => `${path} of no session: ${machine.files.filter((file) => file.startsWith(`${path}/`)).join(" ")}`,
		),
	];
}

function trees({ sessions, processes }: World): string[] {
	const running = [...sessions.values()].filter(({ status }) => status === "running");
	return running.flatMap(({ id, generation }) => {
		const own = processes.filter(({ session }) => session === id);
		const agents = own.filter(({ isAgent }) => isAgent).length;
		const other = own.filter((process) => process.generation !== generation).length;
		return agents === 1 && other === 0 ? [] : [`session ${id} has ${agents} agents, ${other} of another launch`];
	});
}

function lostMessages({ drivers, conversations }: World): string[] {
	return drivers.flatMap(({ id, messages }) => {
		const conversation = conversations.get(id);
		const lost = conversation === undefined ? [] : messages.filter((content) => !conversation.includes(content));
		return lost.map((content) => `session ${id} lost the message "${content}"`);
	});
}

function stale({ sessions, told }: World): string[] {
	const heard = [...told].filter(([id]) => !sessions.has(id)).map(([id]) => `the stream still has session ${id}`);
	const missed = [...sessions.values()].filter(({ id, rev }) => told.get(id)?.rev !== rev);
	return [
		...heard,
		...missed.map(({ id, rev }) => `the stream has revision ${told.get(id)?.rev} of ${id}, not ${rev}`),
	];
}

/** The invariants by name, in the order in which they are printed. */
export const invariants: Record<string, (world: World) => string[]> = {
	"I1 nothing is stuck": ({ sessions, stuck }) => [
		...stuck,
		...[...sessions.values()]
			.filter(({ status }) => passingStatuses.includes(status))
			.map(({ id, status }) => `${id} is ${status}`),
	],
	"I2 nothing is left behind": strays,
	"I3 nothing acknowledged is lost": (world) => [
		...unsettled(world),
		...lostMessages(world),
		...world.booksWrong,
		...world.settingsWrong,
	],
	"I4 one agent for each session": (world) => [...world.twins, ...trees(world)],
	"I5 the stream tells what is so": (world) => [...world.streamWrong, ...stale(world)],
	"I6 no secret is seen": ({ exposed }) => [...exposed],
	"I7 every request is answered, and a command taken once": ({ drivers, archiverWrong }) => [
		...archiverWrong,
		...drivers.flatMap(({ wrong }) => wrong),
		...drivers
			.filter(({ slowestMs }) => slowestMs > answerMs * patience())
			.map(({ slowestMs }) => `an answer took ${slowestMs} ms`),
	],
	"I8 it comes back by itself": ({ slowStarts }) => [...slowStarts],
};
