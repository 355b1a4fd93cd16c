/** Says that the server of a local model does not run. */
import { modelWires } from "#shared/wire/models/model-wire.ts";
import { connectionFailure } from "./connection-failure.ts";
import { type NamedProvider, providerName, unreachable } from "./provider-name.ts";

/** Resolves to the sentence; undefined when the server accepts connections. */
export async function awayServer(access: NamedProvider): Promise<string | undefined> {
	const wire = modelWires.find((one) => access.endpoints[one] !== undefined);
	const endpoint = wire && access.endpoints[wire];
	if (wire === undefined || endpoint === undefined) return undefined;
	const failure = await connectionFailure(new URL(endpoint));
	return failure && unreachable(providerName(access, wire), failure);
}
