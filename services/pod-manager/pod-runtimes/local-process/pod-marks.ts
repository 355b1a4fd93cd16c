/**
 * Makes and verifies the mark of a launch: its name with a proof that this installation made it. Without the proof, any
 * command could mark itself as a launch of somebody else's session.
 */
import { createHmac } from "node:crypto";
import { marker } from "#shared/wire/pod/launch.ts";
import { type Launch, launchName, parseLaunch } from "../launches/launch.ts";

/** The bytes of a proof: 128 bits, 22 characters. */
const proofBytes = 16;

/** The marks of one installation on one host. */
export class PodMarks {
	readonly installation: string;
	readonly #key: string;
	readonly #host: string | undefined;

	/**
	 * @param key The secret of the installation. @param host The id of the host; absent: of no particular one.
	 * @param runs The id of the folder of runs: a backup that is restored beside its installation has the same host.
	 */
	constructor(installation: string, key: string, host?: string, runs?: string) {
		this.installation = installation;
		this.#key = key;
		this.#host = host === undefined || runs === undefined ? host : `${host}-${runs}`;
	}

	/** The host as the marks name it; absent: they name none. */
	get host(): string | undefined {
		return this.#host;
	}

	/** Returns the proof of an environment, which names the host beside it. */
	proof(launch: Launch): string {
		return this.#proof(launchName(launch));
	}

	/** Returns `<session id>-g<generation>.<proof>`, which is safe as the name of a folder, and of this host only. */
	name(launch: Launch): string {
		return `${launchName(launch)}.${this.#proofAt(launch, this.#host)}`;
	}

	/** Parses and verifies a name; undefined for a text that is not from {@link name}. */
	parse(name: string): Launch | undefined {
		const dot = name.lastIndexOf(".");
		const launch = parseLaunch(name.slice(0, dot));
		if (launch === undefined) return undefined;
		const proofs = [this.#proofAt(launch, this.#host), this.proof(launch)];
		return proofs.includes(name.slice(dot + 1)) ? launch : undefined;
	}

	/** Whether a mark names another host: two hosts of an installation can be on one machine, for example in a test. */
	isElsewhere(environment: ReadonlyMap<string, string>): boolean {
		const host = environment.get(marker.host);
		return host !== undefined && this.#host !== undefined && host !== this.#host;
	}

	/** Returns the launch that these variables mark; undefined without a valid proof. */
	launchIn(environment: ReadonlyMap<string, string>): Launch | undefined {
		if (this.isElsewhere(environment)) return undefined;
		const [session, generation, proof] = [marker.session, marker.generation, marker.proof].map((name) =>
			environment.get(name),
		);
		return this.parse(`${session}-g${generation}.${proof}`);
	}

	#proofAt(launch: Launch, host: string | undefined): string {
		return host === undefined ? this.proof(launch) : this.#proof(`${launchName(launch)}@${host}`);
	}

	#proof(text: string): string {
		return createHmac("sha256", this.#key).update(text).digest().subarray(0, proofBytes).toString("base64url");
	}
}
