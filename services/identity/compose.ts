/** The identity part. */
import type { Part, Platform } from "#shared/platform.ts";
import { identityService } from "./identity.service.ts";

export async function compose({ config }: Platform): Promise<Part> {
	return { services: [identityService(config.auth_discovery)] };
}
