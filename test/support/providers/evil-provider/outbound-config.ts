/** The usual configuration of requests that leave the platform; reading it takes long. */
import { loadConfig } from "#shared/config/config.ts";

export const outboundConfig = loadConfig({}).outbound;
