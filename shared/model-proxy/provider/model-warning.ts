/** Says before the first message why the session's model cannot be used, in the words that the first answer would have. */
import { once } from "node:events";
import { connect } from "node:net";
import { deadline } from "#shared/base/clock.ts";
import { modelWires } from "#shared/wire/models/model-wire.ts";
import type { LaunchDocument } from "#shared/wire/pod/launch.ts";
import { providerName, unreachable } from "./provider-name.ts";

/** The time for a connection to a local model server; a launch waits no longer for it. */
const connectMs = 1_000;

/** Returns the sentence; undefined when the model can be used, as far as that is known without a call. */
export async function modelWarning({ model_access, model_refusal }: LaunchDocument): Promise<string | undefined> {
	if (model_refusal) return model_refusal.reason;
	// The key of a provider in the cloud would be used up by a question, and such a provider is seldom away.
	if (model_access?.location !== "local") return undefined;
	const wire = modelWires.find((one) => model_access.endpoints[one] !== undefined);
	const endpoint = wire && model_access.endpoints[wire];
	if (wire === undefined || endpoint === undefined) return undefined;
	const failure = await connectionFailure(new URL(endpoint));
	return failure && unreachable(providerName(model_access, wire), failure);
}

async function connectionFailure({ hostname, port, protocol }: URL): Promise<NodeJS.ErrnoException | undefined> {
	const signal = deadline(connectMs);
	const host = hostname.replace(/^\[(.*)\]$/, "$1");
	const socket = connect({ host, port: Number(port) || (protocol === "https:" ? 443 : 80) });
	try {
		await once(socket, "connect", { signal });
		return undefined;
	} catch (error) {
		const late = Object.assign(new Error("There was no connection in time"), { code: "ETIMEDOUT" });
		return signal.aborted ? late : (error as NodeJS.ErrnoException);
	} finally {
		// An abort leaves an error to come.
		socket.on("error", () => {});
		socket.destroy();
	}
}
