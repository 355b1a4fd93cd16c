/**
 * Asks services/identity in which tenant, and with which roles, an identified person acts. The answer is used for a few
 * seconds, so that a removed member loses access within 10 s on every gateway; without an answer nobody is let in.
 */
import { LRUCache } from "lru-cache";
import { personKey, type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { call, type Caller, type CallOptions } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { monotonic } from "#shared/base/clock.ts";
import { admissions, type IdentifiedPerson, type StoredStanding } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError, UnavailableError } from "#shared/base/errors.ts";

/** An answer is used for this time after its question, in milliseconds. */
const freshMs = 5_000;
/** The longest time for an answer, in milliseconds. */
const askMs = 3_000;
const maxPeople = 10_000;

/** The answers of one kind, by their questions. */
class Answers<T> {
	readonly #asked = new LRUCache<string, { readonly at: number; readonly answer: Promise<T> }>({ max: maxPeople });

	/** Returns the remembered answer to a question, or asks when there is none of the last {@link freshMs}. */
	to(question: string, ask: () => Promise<T>): Promise<T> {
		const known = this.#asked.get(question);
		if (known && monotonic() - known.at < freshMs) return known.answer;
		const asked = { at: monotonic(), answer: ask() };
		this.#asked.set(question, asked);
		// A failure is asked again: somebody who is added as a member need not wait.
		asked.answer.catch(() => {
			if (this.#asked.get(question) === asked) this.#asked.delete(question);
		});
		return asked.answer;
	}
}

export class Admissions {
	readonly #bus: () => Caller | undefined;
	readonly #admitted = new Answers<Principal>();
	/** The questions about persons, whom an identity adapter remembers. */
	readonly #questions = new WeakMap<IdentifiedPerson, string>();
	readonly #standings = new Answers<StoredStanding | undefined>();

	/** @param bus Returns the bus; undefined until it is connected. */
	constructor(bus: () => Caller | undefined) {
		this.#bus = bus;
	}

	/**
	 * Admits a person with the claims of a request. @param wanted The tenant that the request names.
	 * @throws {ForbiddenError} when the person is refused; {UnavailableError} when that cannot be found out.
	 */
	admit(person: IdentifiedPerson, wanted?: string): Promise<Principal> {
		const question = this.#questionAbout(person);
		return this.#admitted.to(wanted === undefined ? question : `${JSON.stringify(wanted)} ${question}`, async () => {
			const params = wanted === undefined ? person : { ...person, wanted };
			const { tenant, roles, epoch } = await call(this.#caller, admissions.actions.admit, params, options());
			return { kind: "user", id: person.id, tenant, roles, ...(epoch !== undefined && { epoch }) };
		});
	}

	/** Returns the stored standing of a member; undefined for everybody else. @throws {UnavailableError} */
	standing({ tenant, id }: Pick<Principal, "tenant" | "id">): Promise<StoredStanding | undefined> {
		return this.#standings.to(personKey(tenant, id), async () => {
			const params = { user_id: id, tenant };
			const { roles, ...more } = await call(this.#caller, admissions.actions.standing, params, options());
			return roles ? { ...more, roles } : undefined;
		});
	}

	/**
	 * Returns a person who was admitted before, as their membership is stored now; their claims are not read again, because
	 * they may be older than those of another request. @throws {ForbiddenError} for somebody who is no member any more.
	 */
	async readmit(known: Principal): Promise<Principal> {
		const found = await this.standing(known);
		if (!found) throw new ForbiddenError("You are no member of this tenant any more", "NOT_A_MEMBER");
		const { roles, epoch } = found;
		return { kind: "user", id: known.id, tenant: known.tenant, roles, ...(epoch !== undefined && { epoch }) };
	}

	#questionAbout(person: IdentifiedPerson): string {
		const known = this.#questions.get(person);
		const question = known ?? JSON.stringify(person);
		if (known === undefined) this.#questions.set(person, question);
		return question;
	}

	get #caller(): Caller {
		const bus = this.#bus();
		if (!bus) throw new UnavailableError("The platform is starting");
		return bus;
	}
}

function options(): CallOptions {
	return { meta: { principal: vouch(systemPrincipal("admission")) }, timeout: askMs };
}
