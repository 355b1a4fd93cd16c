/** Tells other services on the bus what sessions have where they run. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { sessionPlace } from "#shared/contracts/sessions/session-place.ts";
import type { PodRuntime } from "./pod-runtime.ts";

export function sessionPlaceService({ hasHostFiles }: Pick<PodRuntime, "hasHostFiles">): ServiceSchema {
	return serviceOf(sessionPlace, { describe: async () => ({ has_host_files: hasHostFiles }) });
}
