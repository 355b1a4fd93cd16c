/**
 * Asks services/identity in which tenant, and with which roles, an identified person acts. The answer is used for a few
 * seconds, so that a removed member loses access within 10 s on every gateway; without an answer nobody is let in.
 */
import { personKey, type Principal, systemPrincipal } from "#shared/base/principal.ts";
import { call, type Caller, type CallOptions } from "#shared/bus/service.ts";
import { vouch } from "#shared/bus/vouched-principal.ts";
import { admissions, type IdentifiedPerson, type StoredStanding } from "#shared/contracts/identity/admissions.ts";
import { ForbiddenError, UnavailableError } from "#shared/base/errors.ts";
import { RememberedAnswers } from "#shared/base/concurrency/remembered-answers.ts";

/** An answer is used for this time after its question, in milliseconds. */
const freshMs = 5_000;
/** The longest time for an answer, in milliseconds. */
const askMs = 3_000;

/** Its answers are up to 5 s old. */
export class Admissions {
	readonly #bus: () => Caller | undefined;
	readonly #admitted = new RememberedAnswers<Principal>(freshMs);
	/** The questions about persons, whom an identity adapter remembers. */
	readonly #questions = new WeakMap<IdentifiedPerson, string>();
	readonly #standings = new RememberedAnswers<StoredStanding | undefined>(freshMs);

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
