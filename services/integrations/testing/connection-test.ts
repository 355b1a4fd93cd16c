/** Tests connections: one at a time for each person, and the outcome is an answer whatever it is. */
import { personKey } from "#shared/base/principal.ts";
import { deadline } from "#shared/base/clock.ts";
import type { IntegrationDefinition } from "#shared/contracts/integrations/definition-fields.ts";
import type { Connection, TestResult } from "#shared/contracts/integrations/integrations.ts";
import { ServiceError, TimeoutError } from "#shared/base/errors.ts";
import type { ServiceLog } from "#shared/base/service-log.ts";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { Owner } from "#shared/base/principal.ts";
import { missingFields } from "../connections/connection-rules.ts";
import { credentialOf, definitionOf, type ReadCredentials } from "../connection-uses/connection-uses.ts";
import type { Account } from "./server-check.ts";

interface TestedConnection {
	readonly definition: IntegrationDefinition;
	readonly config: Readonly<Record<string, string>>;
	readonly credential: Readonly<Record<string, string>>;
}

/** Asks the server of a connection. @throws {ServiceError} with a sentence about the failure. */
export type Probe = (tested: TestedConnection) => Promise<Account>;

/** The time for one test, in milliseconds. */
const testMs = 10_000;
/** The most characters of a failure that is shown. */
const maxSentence = 500;
/** A shorter value occurs in sentences by chance. */
const minSecret = 4;

export class ConnectionTests {
	readonly #catalogue: Catalogue;
	readonly #log: ServiceLog;
	readonly #running = new Set<string>();

	constructor(catalogue: Catalogue, log: ServiceLog) {
		this.#catalogue = catalogue;
		this.#log = log;
	}

	async test(owner: Owner, connection: Connection, read: ReadCredentials, probe: Probe): Promise<TestResult> {
		const failed = (error: string): TestResult => ({
			success: false,
			provider: providerOf(connection),
			workspace: null,
			user: null,
			error: error.slice(0, maxSentence),
		});
		const person = personKey(owner.tenant, owner.id);
		if (this.#running.has(person)) return failed("Another connection of yours is being tested: try again after that");
		this.#running.add(person);
		let secrets: string[] = [];
		try {
			const tested = await this.#prepare(owner, connection, read);
			if (typeof tested === "string") return failed(tested);
			secrets = Object.values(tested.credential).filter((value) => value.length >= minSecret);
			const { user, workspace } = await within(testMs, probe(tested));
			return {
				success: true,
				provider: providerOf(connection),
				user: cut(user),
				workspace: cut(workspace),
				error: null,
			};
		} catch (error) {
			if (!(error instanceof ServiceError)) {
				this.#log.error("A connection cannot be tested:", error);
				return failed("The test failed; the log of the platform says more");
			}
			return failed(withoutSecrets(error.message, secrets));
		} finally {
			this.#running.delete(person);
		}
	}

	/** Returns what the test needs, or the sentence that says what is missing. */
	async #prepare(owner: Owner, connection: Connection, read: ReadCredentials): Promise<TestedConnection | string> {
		const { slug, credential_name, config } = connection;
		const definition = definitionOf(await this.#catalogue.definitions(), connection);
		if (!definition) return `The catalogue has no entry "${slug}" any more`;
		const [values] = await read(owner, [credential_name]);
		if (!values) return `The credential "${credential_name}" does not exist`;
		const credential = credentialOf(values);
		const missing = missingFields(definition, credential);
		if (missing.length > 0) return `The credential "${credential_name}" has no field "${missing.join('", "')}"`;
		return { definition, config, credential };
	}
}

/** Returns the name of the adapter: the short one, or the last part of a module's. */
function providerOf({ adapter, slug }: Connection): string {
	return adapter === "" ? slug : (adapter.split(/[#/]/).at(-1) ?? adapter);
}

/** Returns what a server says of an account, which may be of any length. */
function cut(name: string | null): string | null {
	return name === null ? null : name.slice(0, maxSentence);
}

/** Returns the sentence with every secret masked: a server may repeat what it was sent. */
function withoutSecrets(sentence: string, secrets: readonly string[]): string {
	return secrets.reduce((text, secret) => text.replaceAll(secret, "***"), sentence);
}

/** Resolves like the work; rejects when it takes longer. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
	const signal = deadline(ms);
	const late = new Promise<never>((_resolve, reject) => {
		signal.addEventListener("abort", () => reject(new TimeoutError(`The test took longer than ${ms / 1_000} s`)), {
			once: true,
		});
	});
	return Promise.race([work, late]);
}
