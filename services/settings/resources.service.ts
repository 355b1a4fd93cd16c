/** Offers the resources that sessions may ask for on the bus. */
import type { ServiceSchema } from "moleculer";
import { serviceOf } from "#shared/bus/service.ts";
import { type ResourceInfo, resources } from "#shared/contracts/settings/resources.ts";

export function resourcesService(info: ResourceInfo): ServiceSchema {
	return serviceOf(resources, { info: async () => info });
}
