/**
 * The proof of access: every caller tries every route. What the tables of access refuse must be refused, and must have
 * changed nothing and shown nothing; what they allow must be possible.
 */
import { type Caller, expectedOutcome, maySee, type Outcome } from "./caller.ts";
import { changeOf, comparableBy } from "./comparable-text.ts";
import { outcomeOf, type RequestContext, probeOf, unknownId } from "./cell.ts";
import { PlatformError } from "../platform-client.ts";
import { makerOf } from "./makers.ts";
import type { ProbeAnswer, Prober } from "./prober.ts";
import type { Row } from "./row.ts";
import type { Target, World } from "./world.ts";

export interface ProofOptions {
	readonly prober: Prober;
	readonly world: World;
	/** The prefixes of the API; the routes are tried by one after the other. */
	readonly prefixes: readonly string[];
	/** The person whose objects the others try to reach. */
	readonly owner: Caller;
	/** All callers, the owner among them. */
	readonly callers: readonly Caller[];
	readonly rows: Readonly<Record<string, Row>>;
	/** Whether other people use the platform, so that only the proof's own objects may change. */
	readonly isInUse: boolean;
}

export interface ProofResult {
	readonly cells: number;
	readonly outcomes: Readonly<Partial<Record<Outcome, number>>>;
	/** Sentences about everything that is not as the tables say; empty: the platform keeps to them. */
	readonly holes: readonly string[];
	readonly leftOut: readonly string[];
}

/** Requests of one caller that are under way at a time. */
const atOnce = 4;
/** Callers after whose refused requests the state is compared. */
const comparedAtOnce = 6;

/** A cell with what is expected of it. */
interface Expected {
	readonly caller: Caller;
	readonly place: RequestContext;
	readonly target: Target | undefined;
	readonly outcome: Outcome;
}

/** One run over all cells. */
export class Proof {
	readonly #options: ProofOptions;
	readonly #comparable: (text: string) => string;
	readonly #holes: string[] = [];
	readonly #outcomes: Partial<Record<Outcome, number>> = {};
	#cells = 0;

	constructor(options: ProofOptions) {
		this.#options = options;
		this.#comparable = comparableBy(options.callers);
	}

	async run(): Promise<ProofResult> {
		const { callers, world } = this.#options;
		await this.#introduce();
		const before = await this.#picture();
		for (let i = 0; i < callers.length; i += comparedAtOnce) {
			const some = callers.slice(i, i + comparedAtOnce);
			for (const caller of some) await this.#tryRefused(caller);
			await this.#compare(before, `what ${some.map(({ name }) => name).join(" or ")} must not do`);
		}
		await this.#tryAdmitted(callers.filter((caller) => !isOfTenant(caller, world)));
		await this.#compare(before, "what people of other tenants may do");
		await this.#tryAdmitted(callers.filter((caller) => isOfTenant(caller, world)));
		return { cells: this.#cells, outcomes: this.#outcomes, holes: this.#holes, leftOut: this.#leftOut() };
	}

	/** Lets every caller send one request, because a first request makes a user of a person. */
	async #introduce(): Promise<void> {
		const { callers, prober, prefixes } = this.#options;
		for (const caller of callers) await prober.send(caller, { method: "GET", path: `${prefixes[0]}/me` });
	}

	async #tryRefused(caller: Caller): Promise<void> {
		const refused = this.#cellsOf(caller).filter(({ outcome }) => outcome !== "admitted" && outcome !== "stale");
		for (let i = 0; i < refused.length; i += atOnce)
			await Promise.all(refused.slice(i, i + atOnce).map((cell) => this.#try(cell)));
	}

	/** Route by route, because later routes change the state of the session. */
	async #tryAdmitted(callers: readonly Caller[]): Promise<void> {
		const cells = callers.map((caller) => this.#cellsOf(caller));
		for (const route of Object.keys(this.#options.rows))
			for (const cell of cells.flatMap((all) => all.filter(({ place }) => place.route === route)))
				if (cell.outcome === "admitted" || cell.outcome === "stale")
					await this.#try(cell).catch((error: unknown) => this.#noteMissing(cell, error));
	}

	#cellsOf(caller: Caller): Expected[] {
		const { rows, world, owner, callers, prefixes, isInUse } = this.#options;
		const skew = callers.indexOf(caller);
		const person = owner.principal?.id ?? "";
		return Object.entries(rows).flatMap(([route, row], i) => {
			if (this.#isLeftOut(row)) return [];
			const prefix = prefixes[(i + skew) % prefixes.length] ?? "";
			const target = row.object === undefined ? undefined : world.target(row.object);
			const outcome = expectedOutcome(caller, row, route, target?.ownership);
			return [{ caller, place: { route, row, prefix, person, isInUse }, target, outcome }];
		});
	}

	#isLeftOut(row: Row): boolean {
		const { isInUse, world } = this.#options;
		if (row.object !== undefined && !world.target(row.object)) return true;
		return isInUse && row.reaches !== undefined && row.harmless === undefined;
	}

	#leftOut(): string[] {
		return Object.entries(this.#options.rows).flatMap(([route, row]) => (this.#isLeftOut(row) ? [route] : []));
	}

	async #try(cell: Expected): Promise<void> {
		const { caller, place, target } = cell;
		const { prober } = this.#options;
		const id = await this.#idFor(cell);
		const answer = await prober.send(caller, probeOf(place, id));
		const unknown = (target && makerOf(target.object).unknown) ?? unknownId;
		const reference = target && answer.status === 404 ? await prober.send(caller, probeOf(place, unknown)) : undefined;
		this.#note(cell, answer, outcomeOf(answer, id, reference, unknown));
		this.#holes.push(...this.#leaks(cell, answer, id).map((what) => `${caller.name}: ${place.route} shows ${what}`));
		await this.#removeLeft(place.row, answer, caller);
	}

	/** Returns the id in the request: of the object, of a new one if it will be gone, or of one that the body only names. */
	async #idFor({ place: { row }, target, outcome }: Expected): Promise<string> {
		const { world } = this.#options;
		if (target && row.consumes && outcome === "admitted") return (await world.fresh(target.object)).id;
		const named = target ?? (row.names && world.target(row.names));
		return named?.id ?? unknownId;
	}

	/** Notes that the object of a cell is gone, which is so after some holes. @throws any other error. */
	#noteMissing({ caller, place }: Expected, error: unknown): void {
		if (!(error instanceof PlatformError)) throw error;
		this.#holes.push(`${caller.name}: ${place.route} could not be tried: ${error.message}`);
	}

	#note(
		{ caller, place: { route }, outcome: expected }: Expected,
		{ status, text }: ProbeAnswer,
		found: Outcome,
	): void {
		this.#cells++;
		this.#outcomes[expected] = (this.#outcomes[expected] ?? 0) + 1;
		if (found === expected || (expected === "stale" && status === 409)) return;
		const answer = `${status} ${text.slice(0, 200)}`;
		this.#holes.push(`${caller.name}: ${route} is ${found} instead of ${expected} (${answer})`);
	}

	/** Returns the objects that an answer shows to a caller who may not see them. @param own The id in the request. */
	#leaks({ caller, place: { row } }: Expected, { text, headers }: ProbeAnswer, own: string): string[] {
		if (row.namesObjects) return [];
		const shown = `${headers}\n${text}`.replaceAll(own, "");
		const hidden = this.#options.world.targets.filter(({ object, ownership }) => !maySee(caller, object, ownership));
		return hidden
			.filter(({ id, mark }) => mark !== undefined && (shown.includes(mark) || (id !== own && shown.includes(id))))
			.map(({ object }) => `the ${object}`);
	}

	/** Removes what a request has made, because a copy of the owner's object would look like a leak later. */
	async #removeLeft({ leaves }: Row, { status, text }: ProbeAnswer, caller: Caller): Promise<void> {
		if (leaves === undefined || status >= 300) return;
		const { id } = JSON.parse(text) as { id: string };
		this.#holes.push(...(await this.#options.world.removeOne(leaves, id, caller)));
	}

	/**
	 * Reads everything that the owner and the administrators see: the state that refused requests must leave as it is.
	 * Lists of a platform in use change by themselves.
	 */
	async #picture(): Promise<Map<string, string>> {
		const { callers, owner, prober, isInUse } = this.#options;
		const administrator = callers.find((one) => one.principal?.roles.includes("admin") && this.#isColleague(one));
		const seen = new Map<string, string>();
		for (const witness of administrator ? [owner, administrator] : [owner]) {
			const reading = this.#cellsOf(witness).filter(({ place: { route, row }, outcome }) => {
				const isRead = route.startsWith("GET ") && !row.volatile && row.effect === undefined;
				if (isInUse && row.object === undefined) return false;
				return isRead && outcome === "admitted" && route !== "GET /sessions/stream";
			});
			for (const { place, target } of reading) {
				const { status, text } = await prober.send(witness, probeOf(place, target?.id ?? unknownId));
				seen.set(`${place.route} of ${witness.name}`, `${status} ${this.#comparable(text)}`);
			}
		}
		return seen;
	}

	#isColleague({ principal }: Caller): boolean {
		const { owner } = this.#options;
		return principal?.tenant === owner.principal?.tenant && principal?.id !== owner.principal?.id;
	}

	async #compare(before: ReadonlyMap<string, string>, what: string): Promise<void> {
		const after = await this.#picture();
		for (const [name, text] of before) {
			const now = after.get(name) ?? "";
			if (now !== text) this.#holes.push(`${what} has changed ${name}: ${changeOf(text, now)}`);
		}
	}
}

/** Whether a caller may change something that the owner sees. */
function isOfTenant({ principal, isOperator }: Caller, world: World): boolean {
	if (!principal || isOperator) return isOperator === true;
	const { tenant, session } = world.target("session")?.ownership ?? {};
	return principal.kind === "pod" ? principal.id === session : principal.tenant === tenant;
}
