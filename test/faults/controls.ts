/**
 * The controls: each names a protection, the patch that removes it, a scenario for platforms with and without it, and
 * the invariants that break without it.
 */
import { isBroken, type Verdict } from "./testbed.ts";
import { type Patch, patchedTree } from "./patched-tree.ts";
import { frozenPass } from "./scenarios/frozen-pass.ts";
import { killedAfterSpawn, killedAfterWrite } from "./scenarios/killed-at.ts";
import { lostHints } from "./scenarios/lost-hints.ts";
import { revokedToken } from "./scenarios/revoked-token.ts";
import { sameCommand } from "./scenarios/same-command.ts";
import { silentProcess } from "./scenarios/silent-process.ts";

export interface Control {
	readonly name: string;
	readonly patches: readonly Patch[];
	/** @param root The sources of the platform; by default the project's. */
	readonly scenario: (root?: string) => Promise<Verdict>;
	/** The numbers of the invariants of which one at least must break. */
	readonly breaks: readonly string[];
	/** The control is quick enough for every run of the tests. */
	readonly quick: boolean;
}

export interface ControlReport {
	readonly name: string;
	readonly breaks: string;
	/** The faults with the protection, and without it. */
	readonly with: Verdict;
	readonly without: Verdict;
	/** Whether the protection prevents the fault that occurs without it. */
	readonly works: boolean;
}

/** Runs both sides of a control, one after the other. */
export async function runControl(control: Control): Promise<ControlReport> {
	const sound = await control.scenario();
	const without = await withoutProtection(control);
	const works = !isBroken(sound) && isCaught(control, without);
	return { name: control.name, breaks: control.breaks.join(" or "), with: brokenOnly(sound), without, works };
}

/** Whether the absence of the protection was noticed. @param without The broken invariants. */
export function isCaught({ breaks }: Control, without: Verdict): boolean {
	return Object.keys(without).some((name) => breaks.some((number) => name.startsWith(number)));
}

/** The names of the broken invariants. */
export async function withoutProtection({ patches, scenario }: Control): Promise<Verdict> {
	using tree = patchedTree(patches);
	return brokenOnly(await scenario(tree.root));
}

function brokenOnly(verdict: Verdict): Verdict {
	return Object.fromEntries(Object.entries(verdict).filter(([, wrong]) => wrong.length > 0));
}

const claims = "services/sessions/claims/session-claims.ts";
const personalTokens = "services/gateway/callers/personal-tokens.ts";
const launchedPods = "services/pod-manager/pod-runtimes/launches/launched-pods.ts";

export const controls: readonly Control[] = [
	{
		name: "no compare-and-set",
		quick: true,
		scenario: sameCommand,
		patches: [
			{
				file: "services/sessions/record/session-records.ts",
				from: "equals: { rev: session.rev, ...guard }",
				to: "equals: { ...guard }",
			},
			// The queue keeps changes of one session apart inside a process, so it is removed too.
			{
				file: "services/sessions/record/change-queue.ts",
				from: "return this.#changes.run(key, change, { deadline, isJob }).finally(leave);",
				to: "return change();",
			},
		],
		breaks: ["I7"],
	},
	{
		name: "pods without names that tell them apart",
		quick: true,
		scenario: killedAfterSpawn,
		patches: [
			{
				file: "services/pod-manager/reconciliation/plan.ts",
				from: "const own = pods.find((pod) => pod.generation === generation);",
				to: 'const own = pods.find((pod) => pod.generation === generation && pod.state === "ready");',
			},
			{ file: launchedPods, from: "if (pods.some((pod) => pod.generation === generation)) return true;", to: "" },
			{
				file: launchedPods,
				from: "if (!other) return false;",
				to: "if (!other || other.generation === generation) return false;",
			},
			// biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a program
			{ file: "agent/session-lock.ts", from: '"lock")', to: "`lock-${process.pid}`)" },
		],
		// The two agents may also disturb each other until the session fails, before anybody could count both.
		breaks: ["I4", "I3"],
	},
	{
		name: "no fence",
		quick: false,
		scenario: frozenPass,
		patches: [
			{
				file: claims,
				from: "const isOurs = current.document.fence === fence && current.document.generation === generation;",
				to: "const isOurs = current.document.generation === generation;",
			},
			{ file: claims, from: ", { guard: { fence } }", to: "" },
			{ file: claims, from: "if (record.document.fence !== fence) return false;", to: "" },
		],
		breaks: ["I3"],
	},
	{
		name: "hints without a poll, pod manager",
		quick: false,
		scenario: lostHints,
		patches: [
			{
				file: "services/pod-manager/reconciliation/reconciler.ts",
				from: "this.#wakeUp.signalWithin(Math.min(pollMs * 2 ** times, failingPollMs));",
				to: "",
			},
		],
		breaks: ["I1"],
	},
	{
		name: "hints without a poll, event stream",
		quick: false,
		scenario: lostHints,
		patches: [
			{
				file: "services/stream/log-tail.ts",
				from: "every(pollMs, () => this.#look())",
				to: "every(pollMs, () => {})",
			},
		],
		breaks: ["I5"],
	},
	{
		name: "the events apart from the state",
		quick: true,
		scenario: killedAfterWrite,
		patches: [
			{
				file: "shared/store/embedded/embedded-transactions.ts",
				from: "logs.enter(this.#steps, caused);",
				to:
					"const later = () => this.run((steps) => logs.enter(steps, caused));\n" +
					"\t\t\tsetImmediate(() => void later());",
			},
		],
		breaks: ["I5"],
	},
	{
		name: "no time limit of requests",
		quick: false,
		scenario: silentProcess,
		patches: [
			{
				file: "shared/bus/timeout-middleware.ts",
				from: "if (timeout <= 0) return next.call(this, ctx);",
				to: "if (timeout >= 0) return next.call(this, ctx);",
			},
			// A gateway answers for a request that has no limit itself.
			{
				file: "services/gateway/request-chain.ts",
				from: "const overallMs = 10_000;",
				to: "const overallMs = 600_000;",
			},
		],
		breaks: ["I7"],
	},
	{
		// The platform knows which tokens are active. To know the revoked ones by their text is what this replaces.
		name: "revocation by the hash of the text",
		quick: false,
		scenario: revokedToken,
		patches: [
			{
				file: "shared/base/tokens/jwt-form.ts",
				from: 'if (bytes.toString("base64url") !== part) throw new TokenRefusedError("form");',
				to: "",
			},
			{
				file: "shared/base/tokens/token-key.ts",
				from: "return digestOf(JSON.stringify(name));",
				to: "return digestOf(name.length > 0 ? text : text);",
			},
			{
				file: personalTokens,
				from: "/** The memory of tokens is bounded in count and in time. */",
				to: "const revoked = new Set<string>();\nlet newest: ActiveToken | undefined;",
			},
			{
				file: personalTokens,
				from: "const token = await this.#active.to(key, () => this.#ask(key));\n\t\tif (!token ||",
				to:
					"const active = await this.#active.to(key, () => this.#ask(key));\n\t\tif (active) newest = active;\n" +
					"\t\tconst token = active ?? (revoked.has(key) ? undefined : newest);\n\t\tif (!token ||",
			},
			{
				file: personalTokens,
				from: "for (const key of keys) this.#active.forget(key);",
				to: "for (const key of keys) {\n\t\t\trevoked.add(key);\n\t\t\tthis.#active.forget(key);\n\t\t}",
			},
		],
		breaks: ["I3"],
	},
];
