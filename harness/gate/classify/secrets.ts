/**
 * What looks like a secret by its name: files, variables and commands that show them.
 */
export const SECRET =
  /(^|[^\w])(\.env(\.\w+)?|id_rsa|id_ed25519|id_ecdsa|\.ssh\/|\.aws\/|\.npmrc|\.netrc|\.pgpass|\.kube\/config|credentials|secrets?(\.\w+)?|\/etc\/(passwd|shadow)|\w+\.(pem|key|p12|pfx))\b|\$\((env|printenv|set|cat|head|tail|base64|xxd|gpg|security)\b|`(env|printenv|set|cat|head|tail)\b|\$\{?\w*(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|CREDENTIAL)\w*/i;
