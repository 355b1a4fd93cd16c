/** Offers the registry of running processes to those that have no store. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { processes } from "#shared/contracts/processes.ts";
import type { ProcessRegistry } from "#host/presence/process-registry.ts";

export function processesService(registry: ProcessRegistry): ServiceSchema {
	return serviceOf(processes, {
		announce: (entry) => registry.announce(entry),
		leave: ({ id }) => registry.leave(id),
	});
}
