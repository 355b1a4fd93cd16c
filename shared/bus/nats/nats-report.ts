/** Says in one sentence that NATS cannot be reached or refuses this process, and in another one that it is back. Names the way in, and no secret. */
import type * as Nats from "nats";

/** Codes of the client for a server that refuses who this process is. */
const refusals = new Set([
	"AUTHORIZATION_VIOLATION",
	"AUTHENTICATION_EXPIRED",
	"AUTHENTICATION_TIMEOUT",
	"BAD_AUTHENTICATION",
]);

/** Takes the sentences: a loss, and a return. */
export interface ReportLog {
	error(sentence: string): void;
	warn(sentence: string): void;
}

export class NatsReport {
	readonly #place: string;
	readonly #shown: string;
	readonly #log: () => ReportLog;
	#problem: string | undefined;

	/** @param log Returns the log, which the transporter has later than its options. */
	constructor(options: Nats.ConnectionOptions, log: () => ReportLog) {
		const scheme = options.tls ? "tls" : "nats";
		this.#place = `NATS at ${[options.servers ?? []]
			.flat()
			.map((host) => `${scheme}://${host}`)
			.join(", ")}`;
		this.#shown = shownOf(options);
		this.#log = log;
	}

	/** The sentence about what is wrong; undefined while the connection stands. */
	get problem(): string | undefined {
		return this.#problem;
	}

	/** The connection is lost, or did not come about. @param code The code of the client, which holds no secret. */
	lost(code: string): void {
		const isRefused = refusals.has(
			code
				.toUpperCase()
				.replaceAll(/[ '-]+/g, "_")
				.replaceAll(/^_|_$/g, ""),
		);
		const problem = isRefused
			? `${this.#place} refuses ${this.#shown}`
			: `${this.#place} cannot be reached: ${code} (BUS__URL)`;
		// A server that refuses also closes the connection, which says less.
		if (problem === this.#problem || (!isRefused && this.#problem !== undefined)) return;
		this.#problem = problem;
		this.#log().error(`${problem} (docs/bus.md)`);
	}

	returned(): void {
		if (this.#problem !== undefined) this.#log().warn(`${this.#place} is reached again`);
		this.#problem = undefined;
	}
}

/** Returns what the process shows to NATS, with the keys of the configuration. */
function shownOf({ user, token, authenticator, tls }: Nats.ConnectionOptions): string {
	if (user !== undefined) return `the user "${user}" or its password (BUS__USER, BUS__PASSWORD)`;
	if (token !== undefined) return "the token (BUS__TOKEN)";
	if (authenticator !== undefined) return "the credentials (BUS__CREDENTIALS_FILE)";
	const certificate = tls ? ", and the certificate of BUS__CERT_FILE may not suffice" : "";
	return `a process without a user: BUS__USER and BUS__PASSWORD are not set${certificate}`;
}
