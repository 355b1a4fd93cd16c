/**
 * Makes and verifies the mark of a launch: its name with a proof that this installation made it. Without the proof, any
 * command could mark itself as a launch of somebody else's session.
 */
import { createHmac } from "node:crypto";
import { marker } from "#shared/pod/launch.ts";
import { type Launch, launchName, parseLaunch } from "./launch.ts";

/** The bytes of a proof: 128 bits, 22 characters. */
const proofBytes = 16;

/** The marks of one installation. */
export class PodMarks {
	readonly installation: string;
	readonly #key: string;

	/** @param key The secret of the installation. */
	constructor(installation: string, key: string) {
		this.installation = installation;
		this.#key = key;
	}

	proof(launch: Launch): string {
		const whole = createHmac("sha256", this.#key).update(launchName(launch)).digest();
		return whole.subarray(0, proofBytes).toString("base64url");
	}

	/** Returns `<session id>-g<generation>.<proof>`, which is safe as the name of a folder. */
	name(launch: Launch): string {
		return `${launchName(launch)}.${this.proof(launch)}`;
	}

	/** Parses and verifies a name; undefined for a text that is not from {@link name}. */
	parse(name: string): Launch | undefined {
		const dot = name.lastIndexOf(".");
		const launch = parseLaunch(name.slice(0, dot));
		return launch && this.proof(launch) === name.slice(dot + 1) ? launch : undefined;
	}

	/** Returns the launch that these variables mark; undefined without a valid proof. */
	launchIn(environment: ReadonlyMap<string, string>): Launch | undefined {
		const [session, generation, proof] = [marker.session, marker.generation, marker.proof].map((name) =>
			environment.get(name),
		);
		return this.parse(`${session}-g${generation}.${proof}`);
	}
}
